/** `skillgate savings`: what the lists of hosts would take of a prompt and leave out, and what skillgate takes instead. */

import { type CommonOptions, processEnvironment } from '../../app/configured.ts';
import { policyOf } from '../../app/open-policy.ts';
import { catalogPipeline } from '../../gateway/pipeline.ts';
import { LOCAL } from '../../gateway/policy/principal.ts';
import { hostLists } from '../../hosts/listing.ts';
import { systemOf } from '../../hosts/locations.ts';
import { hostSavings, ownTokens, type Savings, usedIn } from '../../hosts/savings.ts';
import { count, counted } from '../../mcp/text.ts';
import { startsIn } from '../../serve/telemetry/calls.ts';
import { colours, print, printJson } from '../output.ts';
import { logFiles, logOf } from './usage.ts';
import { withLibrary } from './with-gateway.ts';

export async function savings(files: readonly string[], options: CommonOptions): Promise<void> {
  await withLibrary(options, async (library, { config }) => {
    const environment = processEnvironment();
    const logs = logFiles(files, config.telemetry.audit);
    const gateway = catalogPipeline({ library, policy: policyOf(config), note: () => '' })(LOCAL);
    const found: Savings = {
      hosts: hostSavings(await hostLists(environment, systemOf(environment))),
      own: await ownTokens(gateway),
      used:
        logs.length === 0
          ? null
          : usedIn(
              logOf(logs),
              logs.reduce((sum, file) => sum + startsIn(file), 0),
            ),
    };
    if (options.json === true) printJson(found);
    else show(found);
  });
}

function show({ hosts, own, used }: Savings): void {
  if (hosts.length === 0) print('No host on this machine finds a skill in its folders.');
  for (const host of hosts) {
    const state = host.hidden
      ? 'is switched off'
      : host.connected
        ? 'is on'
        : 'is on, and skillgate not connected';
    print(
      `${colours.bold(host.name)}: its own list of ${counted(host.skills, 'skill')} ${state}. It takes about ${counted(host.tokens, 'token')} of every prompt${lossOf(host)}.`,
    );
  }
  print(`skillgate takes about ${counted(own, 'token')} of every prompt: instructions and tools.`);
  if (used === null) {
    print(
      colours.dim(
        'What searches took is counted from the audit log: set telemetry.audit to a file, or name a log.',
      ),
    );
    return;
  }
  const { sessions, searches, loads, reads } = used;
  const about = (tokens: number | null) =>
    tokens === null ? 'of unknown size' : `about ${counted(tokens, 'token')}`;
  print(
    `From the log: ${counted(sessions, 'start')} of a server, ${counted(searches.calls, 'search', 'searches')} (${about(searches.tokens)}), ${counted(loads.calls, 'load')} (${about(loads.tokens)}), ${counted(reads.calls, 'file')} (${about(reads.tokens)}).`,
  );
  if (sessions > 0 && searches.tokens !== null) {
    const with_ = sessions * own + searches.tokens;
    for (const { name, tokens } of hosts)
      print(
        `With one prompt for each start: about ${count(sessions * tokens)} tokens for the list of ${name}, ${count(with_)} for skillgate and its searches.`,
      );
  }
  print(
    colours.dim(
      'All tokens are estimates, at 3.6 characters each. A list is in every prompt of a session, mostly from a cache. What is loaded and read would be so with a list too.',
    ),
  );
}

function lossOf({ omitted, withoutDescription, shortenedTo }: Savings['hosts'][number]): string {
  const lost = [
    ...(omitted > 0 ? [`leaves out ${counted(omitted, 'skill')}`] : []),
    ...(withoutDescription > 0 ? [`shows ${counted(withoutDescription, 'skill')} by name alone`] : []),
    ...(shortenedTo !== null && shortenedTo > 0
      ? [`cuts descriptions to ${counted(shortenedTo, 'character')}`]
      : []),
  ];
  return lost.length === 0 ? '' : `, and ${lost.join(', and ')}`;
}
