import { expect, it } from 'vitest';
import { committedTypes, describedTypes } from '../../console/tools/api-types.js';

it("the console's types are those of openapi.yaml (node console/tools/api-types.ts writes them)", () => {
  expect(committedTypes()).toBe(describedTypes());
});
