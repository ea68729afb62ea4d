import { type Answer, boolean, list, listOf, ownSchema, text } from '../http/schema.js';

const MEANING = text('The last matching crawl rule with an Accept or Ignore action uses Ignore.');

const attributeFormSchema = ownSchema('AttributeForm', {
  name: text('docs'),
  meaning: MEANING,
  form: text('`true` or `false`', 'Human-readable description of a valid value.'),
  choices: list(text('true'), 'All possible values, if there are only a few.').optional(),
  default: text('false').optional(),
  unit: text('milliseconds').optional(),
  required: boolean(),
  secret: boolean('Whether the value is secret: it is never shown, and a placeholder takes its place.'),
  aliases: list(text('Urls'), 'Other names with the same meaning.'),
});

const typeFormSchema = ownSchema('TypeForm', {
  name: text('kafka', 'Value of the attribute `type`.'),
  label: text('Kafka', 'What people call it.'),
  example: text('kafka://broker.example.com:9092', 'Example of an address.').optional(),
  attributes: list(text('topic'), 'Attributes that this type has and other types may lack.'),
  required: list(text('topic'), 'Those of them that are required.'),
});

/** An element that CrawlConfig.xml may contain, from the table that the schema and the reference are generated from. */
export const elementFormSchema = ownSchema('ElementForm', {
  name: text('docs', 'Name without a prefix; unique across all namespaces.'),
  namespace: text('exa:com.exalead.mercury.mami.crawl.v20'),
  meaning: MEANING,
  children: list(text('Rule'), 'Elements that may appear inside this element.'),
  once: boolean('Whether the element may appear at most once in its parent.'),
  text: text('Read this first.', 'Meaning of the text inside the element, if text is allowed.').optional(),
  attributes: listOf(attributeFormSchema),
  types: listOf(
    typeFormSchema,
    'Possible values of the attribute `type`, if the other attributes depend on it.',
  ).optional(),
});

export type ElementForm = Answer<typeof elementFormSchema>;
