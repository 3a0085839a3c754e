/** The contract once more, for remotes that send all files with a commit and none by id. */

import { describeFetchedSource } from '../../../contracts/fetched-source.ts';
import { double, repository } from './repository.ts';

describeFetchedSource('gitSource of a remote that knows no partial clone', async () =>
  double(repository({ filters: false }), {}),
);
