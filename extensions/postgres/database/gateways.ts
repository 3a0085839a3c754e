/**
 * Gateways that run, each with a JSON Schema of the policies that it can read: what one of them could not read is not published while it
 * runs.
 */

import * as z from 'zod';
import type { Database } from './connect.ts';

/** How often a gateway reports that it runs, ms. */
const REPORT_MS = 5_000;
/** A gateway that did not report for so long counts as ended, s: two reports may fail. */
const ENDED_S = 20;
/** Characters of a gateway's name and schema (that of today has 2,800), and gateways that are looked at. */
const MAX_NAME = 200;
const MAX_READS = 65_536;
const MAX_GATEWAYS = 1_000;

interface RunningGateway {
  readonly name: string;
  /** A JSON Schema. */
  readonly reads: unknown;
}

/** As others wrote it: any role of a gateway may write any row. `reads` is text; null where it is too long. */
interface ReportedGateway {
  readonly name: string;
  readonly reads: string | null;
}

export class Gateways {
  readonly #database: Database;
  readonly #schema: string;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Reports this gateway until the returned function is called. Failures are tried again. */
  report({ name, reads }: RunningGateway): () => Promise<void> {
    const gateway = `${this.#schema}.gateway`;
    const report = async () => {
      await this.#database.short
        .query(
          `insert into ${gateway} (name, reads, seen_at) values ($1, $2::jsonb, clock_timestamp())
           on conflict (name) do update set seen_at = excluded.seen_at`,
          [name, JSON.stringify(reads)],
        )
        .catch(() => {});
    };
    let reporting = report();
    const timer = setInterval(() => {
      reporting = report();
    }, REPORT_MS).unref();
    return async () => {
      clearInterval(timer);
      await reporting;
      await this.#database.short
        .query(`delete from ${gateway} where name = $1 or seen_at < now() - interval '1 day'`, [name])
        .catch(() => {});
    };
  }

  /** In order of name. */
  running(): Promise<readonly ReportedGateway[]> {
    return this.#database.short.query<ReportedGateway>(
      `select left(name, ${MAX_NAME}) as name, case when length(reads::text) <= ${MAX_READS} then reads::text end as reads
       from ${this.#schema}.gateway
       where seen_at > clock_timestamp() - interval '${ENDED_S} s' order by name limit ${MAX_GATEWAYS}`,
    );
  }

  /** Those that cannot read the policy, with what they do not know. */
  async withoutReading(
    policy: unknown,
  ): Promise<readonly { readonly name: string; readonly error: unknown }[]> {
    const running = await this.running();
    return running.flatMap(({ name, reads }) => {
      try {
        const { error } = schemaIn(reads).safeParse(policy);
        return error === undefined ? [] : [{ name, error }];
      } catch (error) {
        return [{ name, error }];
      }
    });
  }
}

/** Throws where there is none. Any gateway may write one, so its cost is bounded: no references, and patterns are left out. */
function schemaIn(reads: string | null): z.ZodType {
  if (reads === null) throw new Error('the schema that it reported is too long');
  if (reads.includes('"$ref"')) throw new Error('the schema that it reported has references');
  const schema = JSON.parse(reads, (key, value: unknown) =>
    key === 'patternProperties' || (key === 'pattern' && typeof value === 'string') ? undefined : value,
  );
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new Error('what it reported is no JSON Schema');
  return z.fromJSONSchema(schema);
}
