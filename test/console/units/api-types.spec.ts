import { expect, it } from 'vitest';
import { generateTypes, readCommittedTypes } from '../../../console/tools/api-types.js';

it("the console's types match openapi.yaml (npm run openapi generates them)", () => {
  expect(readCommittedTypes()).toBe(generateTypes());
});
