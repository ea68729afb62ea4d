/** `npm run openapi`: writes openapi.yaml at the root. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.js';
import { describeApiAsYaml } from './describe.js';

writeFileSync(join(PROJECT_ROOT, 'openapi.yaml'), await describeApiAsYaml());
