// Generates openapi.yaml from the code, and the console's types from openapi.yaml.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTypes } from '../console/tools/api-types.ts';
import { describeApiAsYaml } from '../dist/src/server/openapi/describe.js';

writeFileSync(join(import.meta.dirname, '..', 'openapi.yaml'), await describeApiAsYaml());
writeTypes();
