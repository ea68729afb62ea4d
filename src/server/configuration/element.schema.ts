import { type Answer, boolean, list, listOf, ownSchema, text } from '../http/schema.js';

const attributeFormSchema = ownSchema('AttributeForm', {
  name: text('litteral'),
  meaning: text('Whether special characters are literal.'),
  form: text('`true` or `false`', 'Human-readable description of a valid value.'),
  choices: list(text('true'), 'All possible values, if there are only a few.', {
    example: ['true', 'false'],
  }).optional(),
  default: text('false').optional(),
  unit: text('milliseconds').optional(),
  required: boolean(),
  secret: boolean(`Whether the value is secret: write a reference such as \`\${secret:NAME}\`.`),
  aliases: list(text('literal'), 'Other names with the same meaning.'),
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
  name: text('Rule', 'Name without a prefix; unique across all namespaces.'),
  namespace: text('exa:com.exalead.mercury.mami.crawl.v20'),
  meaning: text('One crawl rule: what it matches, and what it does with those URLs.'),
  children: list(text('Path'), 'Elements that may appear inside this element.'),
  once: boolean('Whether the element may appear at most once in its parent.'),
  text: text('A comment on the rule.', 'Meaning of the text inside the element, if text is allowed.').optional(),
  attributes: listOf(attributeFormSchema),
  types: listOf(
    typeFormSchema,
    'Possible values of the attribute `type`, if the other attributes depend on it.',
  ).optional(),
});

export type ElementForm = Answer<typeof elementFormSchema>;
