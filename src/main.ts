/** `npm start`: the server, together with the bundled sample site and index when the configuration names them. */
import { parseArgs } from 'node:util';
import './server/end-with-launcher.js';
import { run } from './server/run.js';

const { values } = parseArgs({
  allowPositionals: true, // the launcher passes `start`
  options: {
    config: { type: 'string' },
    data: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
  },
});

await run(values, true);
