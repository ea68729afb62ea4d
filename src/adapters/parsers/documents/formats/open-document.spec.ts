import { describe, expect, it } from 'vitest';
import { openDocument } from '../../../../../test/support/office-documents.js';
import { DOCUMENT_EXTENSIONS } from '../../../../domain/content/document-types.js';
import type { DocumentRequest } from '../document-content.js';
import { readOpenDocument } from './open-document.js';

const REQUEST: DocumentRequest = {
  mediaType: DOCUMENT_EXTENSIONS.get('odt')!,
  maxTextLength: 1_000_000,
  maxLinks: 100,
  timeLimit: 30_000,
};
const readText = (body: string, files?: Readonly<Record<string, string>>): string =>
  readOpenDocument(openDocument(body, files), REQUEST).finish(() => undefined).text;

describe('an OpenDocument file', () => {
  it('has its notes after the sentence, without numbers, authors and dates', () => {
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Audited.</text:p></text:note-body></text:note>';
    const annotation =
      '<office:annotation><dc:creator>Jane Roe</dc:creator><dc:date>2024-05-01</dc:date><text:p>Check</text:p></office:annotation>';
    const next = '<text:p>Next.</text:p>';
    expect(readText(`<text:p>The turnover${note} gr${annotation}ew.</text:p>${next}`)).toBe(
      'The turnover grew.\nAudited.\nCheck\nNext.',
    );
  });

  it.each([
    ['2024-05-01T10:00:00.123456789', ['2024-05-01T10:00:00Z']],
    ['Edition 5', []],
    ['2024-02-30', []],
  ])('dated %s is of %j', (written, expected) => {
    const meta = `<office:document-meta><office:meta><meta:creation-date>${written}</meta:creation-date></office:meta></office:document-meta>`;
    const { fields = [] } = readOpenDocument(openDocument('<text:p>a</text:p>', { 'meta.xml': meta }), REQUEST).finish(
      () => undefined,
    );
    expect(fields.flatMap(({ name, value }) => (name === 'date_created' ? [value] : []))).toEqual(expected);
  });

  it('has its headers and footers, without what differs from page to page', () => {
    const header = '<style:header><text:p>Letterhead <text:page-number>1</text:page-number></text:p></style:header>';
    const hidden = '<style:footer style:display="false"><text:p>hidden</text:p></style:footer>';
    const styles = `<office:document-styles><office:master-styles><style:master-page>${header}${hidden}</style:master-page></office:master-styles></office:document-styles>`;
    expect(readText('<text:p>Body</text:p>', { 'styles.xml': styles })).toBe('Body\nLetterhead');
  });

  it('has what slides show of their masters, without placeholders and fields', () => {
    const frame = (facts: string, text: string): string => `<draw:frame ${facts}><text:p>${text}</text:p></draw:frame>`;
    const master = (name: string, shapes: string): string =>
      `<style:master-page style:name="${name}">${shapes}<presentation:notes><text:p>notes</text:p></presentation:notes></style:master-page>`;
    const shapes = [
      frame('presentation:class="title" presentation:placeholder="true"', 'Click to edit'),
      frame('presentation:class="outline"', 'Level'),
      frame('presentation:class="footer"', 'Society <text:page-number>1</text:page-number>'),
      frame('', 'Logo'),
    ].join('');
    const styles = `<office:master-styles>${master('A', shapes)}${master('B', frame('', 'unused'))}</office:master-styles>`;
    const decl = '<presentation:footer-decl presentation:name="f">Draft</presentation:footer-decl>';
    const slide =
      '<draw:page draw:master-page-name="A"><text:p>Herons <text:page-number>&lt;number&gt;</text:page-number></text:p></draw:page>';
    expect(readText(decl + slide, { 'styles.xml': styles })).toBe('Draft Herons\nSociety\nLogo');
  });

  it('has its charts and tables, after the paragraph that contains them', () => {
    const object = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
    const inner =
      '<office:document-content><chart:title><text:p>Sightings</text:p></chart:title></office:document-content>';
    expect(readText(`<text:p>a${object}b</text:p>`, { 'Object 1/content.xml': inner })).toBe('ab\nSightings');
  });

  it('does not read an object within itself', () => {
    const object = '<draw:object xlink:href="./Object 1"/><text:p>once</text:p>';
    expect(readText(`<text:p>a${object}</text:p>`, { 'Object 1/content.xml': object })).toBe('a once\nonce');
  });
});
