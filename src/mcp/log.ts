/** Writes one line for the operator; never to the client. */
export type Log = (message: string) => void;
