import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate } from 'class-validator';
import { expect, it } from 'vitest';
import '../app.module.js';

/** The classes of all requests, which their decorators registered. */
const { validationMetadatas } = getMetadataStorage() as unknown as {
  validationMetadatas: Map<new () => object, readonly { readonly propertyName: string }[]>;
};
const fields = [...validationMetadatas].flatMap(([type, rules]) =>
  [...new Set(rules.map((rule) => rule.propertyName))].map((name) => ({ type, name })),
);

it('refuses null in every field of every request, whatever the other fields are', async () => {
  const accepting: string[] = [];
  for (const { type, name } of fields) {
    const others = Object.fromEntries(fields.filter((field) => field.type === type).map((field) => [field.name, 'x']));
    const request = plainToInstance(type, { ...others, [name]: null });
    const errors = await validate(request);
    if (!errors.some(({ property }) => property === name)) accepting.push(`${type.name}.${name}`);
  }
  expect(fields.length).toBeGreaterThan(100);
  expect(accepting).toEqual([]);
});
