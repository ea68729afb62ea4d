import { expect, it } from 'vitest';
import { committedTypes, describedTypes } from '../../console/tools/api-types.js';

it("the console's types are those of openapi.yaml (npm run openapi writes them)", () => {
  expect(committedTypes()).toBe(describedTypes());
});
