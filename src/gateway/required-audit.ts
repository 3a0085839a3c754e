/** A gateway that answers nothing while its calls cannot be recorded. */

import type { Gateway } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { intercept } from './intercept.ts';

/** `failing`: lines of the log are lost. The refusal itself is logged, which tries the log again. */
export const withRequiredAudit = (gateway: Gateway, failing: () => boolean): Gateway =>
  intercept(gateway, async (_, proceed) => {
    if (failing())
      throw new GatewayError(
        'AUDIT_UNAVAILABLE',
        'The audit log cannot be written, and this server answers nothing without it: its operator has to repair it.',
      );
    return proceed();
  });
