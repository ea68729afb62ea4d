// Generates openapi.yaml from the code, and the console's types from openapi.yaml.
import '../dist/src/server/openapi/write.js';
import { writeTypes } from '../console/tools/api-types.ts';

writeTypes();
