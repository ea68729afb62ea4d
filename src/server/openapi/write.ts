/** Writes openapi.yaml in the root folder (`npm run openapi`). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.js';
import { describeApiAsYaml } from './describe.js';

writeFileSync(join(PROJECT_ROOT, 'openapi.yaml'), await describeApiAsYaml());
