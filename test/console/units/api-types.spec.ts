import { expect, it } from 'vitest';
import { generateTypes, readCommittedTypes } from '../../../console/tools/api-types.js';

it("the console's types are those of openapi.yaml (npm run openapi writes them)", () => {
  expect(readCommittedTypes()).toBe(generateTypes());
});
