import { expect, it } from 'vitest';
import { getAttributeLabel } from '../../../console/src/screens/configuration/attribute-words.js';

it.each([
  ['nthreads', 'Threads'],
  ['mimeTypesMode', 'Mime types mode'],
  ['url', 'URL'],
  ['apiKey', 'API key'],
  ['publicUrl', 'Public URL'],
  ['sink', 'Sink'],
  ['throttleTimeMS', 'Throttle time'],
  ['smartRefreshMinAgeS', 'Smart refresh minimum age'],
  ['maxSizeBytes', 'Maximum size'],
  ['litteral', 'Literal'],
])('the label of %s is "%s"', (name, words) => {
  expect(getAttributeLabel(name)).toBe(words);
});
