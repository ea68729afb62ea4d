/** Finds a page's forms by name, id or CSS selector, and the values that a browser would send. */
import { compile, selectAll, selectOne } from 'css-select';
import { type AnyNode, type Document, DomHandler, type Element, isTag, type ParentNode } from 'domhandler';
import { getAttributeValue, textContent } from 'domutils';
import { Parser } from 'htmlparser2';
import { PASSWORD_FIELD, USER_FIELD } from '../../../domain/crawl/logins.js';

export interface HtmlPage {
  readonly url: string;
  readonly document: Document;
}

export interface HtmlForm {
  readonly element: Element;
  /** Absolute URL. */
  readonly action: string;
  readonly method: 'GET' | 'POST';
  readonly multipart: boolean;
  /** Label of the encoding in which the form wants to be sent. */
  readonly acceptCharset?: string;
}

export interface FieldValue {
  readonly name: string;
  readonly value: string;
}

const MAX_FORMS_SHOWN = 5;
const MAX_FIELDS_SHOWN = 12;
const FIELD_SELECTOR = 'input, select, textarea, button';

/**
 * Login pages are parsed by the server's main thread, so their size is limited. Those of real sites have hundreds of
 * elements, a dozen levels deep.
 */
const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 256;
const MAX_FORMS = 100;

/** The page has more elements, or nests them more deeply, than any real login page. */
export class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

class BoundedHandler extends DomHandler {
  private elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.elements > MAX_ELEMENTS || this.tagStack.length > MAX_DEPTH)
      throw new PageTooComplex(`has more than ${MAX_ELEMENTS} elements, or elements nested deeper than ${MAX_DEPTH}`);
    super.onopentag(name, attributes);
  }
}

/** @throws PageTooComplex */
export function parsePage(html: string, url: string): HtmlPage {
  const handler = new BoundedHandler();
  new Parser(handler).end(html);
  return { url, document: handler.root };
}

/** Throws SyntaxError for an invalid selector. */
export const hasElement = ({ document }: HtmlPage, selector: string): boolean => selectOne(selector, document) !== null;

export const getPageText = ({ document }: HtmlPage): string => textContent(document).replace(/\s+/g, ' ');

const MAX_SIGNS = 5_000;

/** What a visitor sees on the page: its words, where its links lead, and the names of its fields. */
export function listSigns({ document }: HtmlPage): string[] {
  const words =
    textContent(document)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,40}/gu) ?? [];
  const links = selectAll<AnyNode, Element>('a[href]', document).map(
    (link) => `link ${link.attribs['href']?.split('?', 1)[0]}`,
  );
  const fields = selectAll<AnyNode, Element>(FIELD_SELECTOR, document).map((field) => `field ${field.attribs['name']}`);
  return [...new Set([...fields, ...links, ...words])].slice(0, MAX_SIGNS);
}

/** Finds a form by name or id, otherwise by selector; without any of these, the first form that has the fields. */
export function findForm(
  page: HtmlPage,
  nameOrSelector: string | undefined,
  fields: readonly string[],
): HtmlForm | undefined {
  const forms = findForms(page);
  const element =
    nameOrSelector === undefined
      ? forms.find((form) => fields.every((field) => findField(form, field) !== undefined))
      : (forms.find((form) => [getAttribute(form, 'name'), getAttribute(form, 'id')].includes(nameOrSelector)) ??
        forms.find(compileMatcher(nameOrSelector)));
  return element && toHtmlForm(page, element);
}

/** Finds a field of the form by its name or by a selector. */
export function findField(form: Element, nameOrSelector: string): Element | undefined {
  const fields = findFields(form);
  if (nameOrSelector === PASSWORD_FIELD)
    return fields.find((field) => getAttribute(field, 'type')?.toLowerCase() === 'password');
  if (nameOrSelector === USER_FIELD) return findUserField(fields);
  return (
    fields.find((field) => getAttribute(field, 'name') === nameOrSelector) ??
    fields.find(compileMatcher(nameOrSelector))
  );
}

/** Finds the last text field before the password, or the last one on a page that asks only for the user name. */
function findUserField(fields: readonly Element[]): Element | undefined {
  const filterTextFields = (candidates: readonly Element[]): Element[] =>
    candidates.filter(
      (field) =>
        field.name === 'input' &&
        ['text', 'email', 'tel', ''].includes(getAttribute(field, 'type')?.toLowerCase() ?? ''),
    );
  const password = fields.findIndex((field) => getAttribute(field, 'type')?.toLowerCase() === 'password');
  return filterTextFields(password < 0 ? fields : fields.slice(0, password)).at(-1);
}

/**
 * Collects what a browser would send: hidden fields and defaults unchanged, the first submit button, and the given
 * fields filled in.
 */
export function collectValues(form: Element, filledValues: ReadonlyMap<Element, string>): FieldValue[] {
  const values: FieldValue[] = [];
  let submitted = false;
  for (const field of findFields(form)) {
    const name = getAttribute(field, 'name');
    if (isDisabled(field)) continue;
    const filledValue = filledValues.get(field);
    const isSubmit = isSubmitButton(field);
    if (isSubmit && field.name === 'input' && getAttribute(field, 'type')?.toLowerCase() === 'image') {
      // Where on the picture it was clicked.
      if (!submitted) for (const axis of ['x', 'y']) values.push({ name: name ? `${name}.${axis}` : axis, value: '0' });
      submitted = true;
      continue;
    }
    if (name === undefined || name === '') {
      submitted ||= isSubmit;
      continue;
    }
    if (filledValue !== undefined) values.push({ name, value: filledValue });
    else if (isSubmit && submitted) continue;
    else for (const value of getDefaultValues(field)) values.push({ name, value });
    submitted ||= isSubmit;
  }
  return values;
}

function getDefaultValues(field: Element): string[] {
  if (field.name === 'textarea') return [textContent(field)];
  if (field.name === 'select') return getSelectedValues(field);
  const type = getAttribute(field, 'type')?.toLowerCase() ?? '';
  if (type === 'checkbox' || type === 'radio')
    return getAttribute(field, 'checked') === undefined ? [] : [getAttribute(field, 'value') ?? 'on'];
  if (['file', 'image', 'reset', 'button'].includes(type)) return [];
  return [getAttribute(field, 'value') ?? ''];
}

function getSelectedValues(field: Element): string[] {
  const options = selectAll<AnyNode, Element>('option', field);
  const chosenOptions = options.filter((option) => getAttribute(option, 'selected') !== undefined);
  const multiple = getAttribute(field, 'multiple') !== undefined;
  const selectedOptions = chosenOptions.length > 0 ? chosenOptions : multiple ? [] : options.slice(0, 1);
  return selectedOptions.map((option) => getAttribute(option, 'value') ?? textContent(option).trim());
}

function isDisabled(field: Element): boolean {
  if (getAttribute(field, 'disabled') !== undefined) return true;
  return listParents(field).some((parent) => isTag(parent) && parent.name === 'fieldset' && isDisabled(parent));
}

function isSubmitButton(field: Element): boolean {
  const type = getAttribute(field, 'type')?.toLowerCase();
  return type === 'submit' || (field.name === 'button' ? type === undefined : type === 'image');
}

/** Describes the page's forms, to help an operator find the right one. */
export function describeForms(page: HtmlPage): string {
  const forms = findForms(page);
  if (forms.length === 0) return 'the page has no form';
  const descriptions = forms.slice(0, MAX_FORMS_SHOWN).map((form) => {
    const name = getAttribute(form, 'name') ?? getAttribute(form, 'id');
    const names = findFields(form).flatMap((field) => getAttribute(field, 'name') ?? []);
    const fieldList = names.slice(0, MAX_FIELDS_SHOWN).join(', ').slice(0, 300) || 'no fields';
    return `${name === undefined ? 'a form without a name' : `form ${name.slice(0, 60)}`} with ${fieldList}`;
  });
  const suffix = forms.length > MAX_FORMS_SHOWN ? `; and ${forms.length - MAX_FORMS_SHOWN} more` : '';
  return `the page has ${descriptions.join('; ')}${suffix}`;
}

/** Returns the field's name, by which the login form is recognized on other pages. */
export const getFieldName = (field: Element): string | undefined => getAttribute(field, 'name');

const findForms = ({ document }: HtmlPage): Element[] =>
  selectAll<AnyNode, Element>('form', document).filter(isTag).slice(0, MAX_FORMS);

/** The fields of a form may be anywhere on the page (HTML, 4.10.18.3: the attribute `form`). */
function findFields(form: Element): Element[] {
  const id = getAttribute(form, 'id');
  return selectAll<AnyNode, Element>(FIELD_SELECTOR, listParents(form).at(-1)!).filter((field) => {
    const owner = getAttribute(field, 'form');
    return owner === undefined ? listParents(field).includes(form) : owner !== '' && owner === id;
  });
}

/** The elements around this one, from the inside out; the last one is the document. */
function listParents(element: Element): ParentNode[] {
  const parents: ParentNode[] = [];
  for (let node = element.parent; node; node = node.parent) parents.push(node);
  return parents;
}

const getAttribute = (element: Element, name: string): string | undefined => getAttributeValue(element, name);

/** The returned function matches nothing if the selector is invalid. */
function compileMatcher(selector: string): (element: Element) => boolean {
  try {
    return compile<AnyNode, Element>(selector);
  } catch {
    return () => false;
  }
}

function toHtmlForm({ url, document }: HtmlPage, element: Element): HtmlForm | undefined {
  const base = selectOne<AnyNode, Element>('base[href]', document);
  const baseUrl = URL.parse((base && getAttribute(base, 'href')) ?? '', url)?.href ?? url;
  const button = findFields(element).find((field) => isSubmitButton(field) && !isDisabled(field));
  // The button that is pressed may override each of these.
  const getSetting = (name: string): string | undefined =>
    (button && getAttribute(button, `form${name}`)) ?? getAttribute(element, name);
  const action = getSetting('action')?.trim();
  const target = URL.parse(action === undefined || action === '' ? url : action, baseUrl);
  if (!target) return undefined;
  const method = getSetting('method')?.toLowerCase() === 'post' ? 'POST' : 'GET';
  const multipart = /multipart/i.test(getSetting('enctype') ?? '');
  const acceptCharset = getAttribute(element, 'accept-charset')?.trim().split(/\s/, 1)[0];
  return { element, action: target.href, method, multipart, acceptCharset };
}
