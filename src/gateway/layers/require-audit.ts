/** Answers nothing while the audit log cannot be written. */

import { GatewayError } from '../gateway-error.ts';
import { intercept } from '../intercept.ts';
import type { Layer } from './layer.ts';

/** `isFailing`: whether lines of the log are lost. The refusal itself is logged, which tries the log again. */
export const requireAudit =
  (isFailing: () => boolean): Layer =>
  (next) =>
    intercept(next, async (_, proceed) => {
      if (isFailing())
        throw new GatewayError(
          'AUDIT_UNAVAILABLE',
          'The audit log cannot be written, so this server answers no call. Its operator has to fix that.',
        );
      return proceed();
    });
