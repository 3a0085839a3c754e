import { describeFetchedSource } from '../../../../contracts/fetched-source.ts';
import { heldOverHttp, heldProgram } from '../../../../peers/held-origin.ts';

describeFetchedSource('mcpSource on pipes', heldProgram);
describeFetchedSource('mcpSource over HTTP', heldOverHttp);
