/**
 * Who asked, as it is stored. Names of principals are hashed with the secret of the data file, so that an exported file does
 * not say who they are. The user of this machine stays `local`.
 */

import { createHmac } from 'node:crypto';

export const LOCAL_USER = 'local';

/** 16 hex digits; `local` as it is. */
export const whoOf = (principal: string, secret: string): string =>
  principal === LOCAL_USER
    ? LOCAL_USER
    : createHmac('sha256', secret).update(principal).digest('hex').slice(0, 16);
