import { readFileSync } from 'node:fs';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import { describe, expect, it } from 'vitest';
import { collectDefaults } from '../../src/adapters/config-xml/interpret.js';
import { ELEMENTS } from '../../src/adapters/config-xml/schema.js';
import { generateReference, generateSchemas } from './configuration-files.js';

describe('the files generated from the table', () => {
  it('are the committed XML Schemas', async () => {
    for (const [file, text] of generateSchemas()) {
      await expect(text).toMatchFileSnapshot(`../../config/${file}`);
    }
  });

  it('include the committed reference', async () => {
    await expect(generateReference()).toMatchFileSnapshot('../../docs/reference.md');
  });

  it('know every child that an element names', () => {
    const children = [...ELEMENTS.values()].flatMap((spec) => spec.children);
    expect(children.filter((name) => !ELEMENTS.has(name))).toEqual([]);
  });

  it('have defaults that their own types accept', () => {
    for (const spec of ELEMENTS.values()) expect(() => collectDefaults(spec), spec.name).not.toThrow();
  });

  it('accept the example, and refuse it with a misspelt element', () => {
    xmlRegisterFsInputProviders();
    const schema = XmlDocument.fromBuffer(readFileSync('config/CrawlConfig.xsd'), { url: 'config/CrawlConfig.xsd' });
    const validator = XsdValidator.fromDoc(schema);
    const validate = (xml: string) => {
      const document = XmlDocument.fromString(xml);
      validator.validate(document);
    };
    const example = readFileSync('CrawlConfig.xml.example', 'utf8');
    expect(() => validate(example)).not.toThrow();
    expect(() => validate(example.replace('ar:Path', 'ar:Paht'))).toThrow(/Paht/);
    expect(() => validate(example.replace('throttleTimeMS="20"', 'throttleTimeMS="fast"'))).toThrow(/throttleTimeMS/);
  });
});
