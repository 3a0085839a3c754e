/** A layer: a gateway around the next one, for one principal. */

import type { Gateway } from '../gateway.ts';
import type { Principal } from '../policy/principal.ts';

/** Who calls. */
export interface Call {
  readonly principal: Principal;
}

export type Layer = (next: Gateway, call: Call) => Gateway;

/** The gateway within these layers, the nearest first. */
export const surround = (gateway: Gateway, layers: readonly Layer[], call: Call): Gateway =>
  layers.reduce((next, layer) => layer(next, call), gateway);
