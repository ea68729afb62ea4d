/** Finds a page's forms by name, id or CSS selector, and the values that a browser would send. */
import { compile, selectAll, selectOne } from 'css-select';
import { type AnyNode, type Document, DomHandler, type Element, isTag } from 'domhandler';
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
}

export interface Filled {
  readonly name: string;
  readonly value: string;
}

const MOST_FORMS_SHOWN = 5;
const MOST_FIELDS_SHOWN = 12;
const FIELDS = 'input, select, textarea, button';

/**
 * Login pages are parsed by the server's main thread, so their size is limited. Those of real sites have hundreds of
 * elements, a dozen levels deep.
 */
const MOST_ELEMENTS = 20_000;
const DEEPEST = 256;
const MOST_FORMS = 100;

/** The page has more elements, or nests them more deeply, than any real login page. */
export class PageTooComplex extends Error {
  override readonly name = 'PageTooComplex';
}

class BoundedHandler extends DomHandler {
  private elements = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.elements > MOST_ELEMENTS || this.tagStack.length > DEEPEST)
      throw new PageTooComplex(`has more than ${MOST_ELEMENTS} elements, or elements nested deeper than ${DEEPEST}`);
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

export const getText = ({ document }: HtmlPage): string => textContent(document).replace(/\s+/g, ' ');

/** Finds the form by name or id, otherwise by selector; if none is given, the form that has the fields. */
export function findForm(page: HtmlPage, wanted: string | undefined, fields: readonly string[]): HtmlForm | undefined {
  const forms = findForms(page);
  const element =
    wanted === undefined
      ? forms.find((form) => fields.every((field) => findField(form, field) !== undefined))
      : (forms.find((form) => [getAttribute(form, 'name'), getAttribute(form, 'id')].includes(wanted)) ??
        forms.find(compileMatcher(wanted)));
  return element && toHtmlForm(page, element);
}

/** Finds a field of the form by its name or by a selector. */
export function findField(form: Element, wanted: string): Element | undefined {
  const fields = findFields(form);
  if (wanted === PASSWORD_FIELD)
    return fields.find((field) => getAttribute(field, 'type')?.toLowerCase() === 'password');
  if (wanted === USER_FIELD) return findUserField(fields);
  return fields.find((field) => getAttribute(field, 'name') === wanted) ?? fields.find(compileMatcher(wanted));
}

/** The text field before the password, or the only text field of a page that asks for the user name first. */
function findUserField(fields: readonly Element[]): Element | undefined {
  const filterTextFields = (list: readonly Element[]): Element[] =>
    list.filter(
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
export function collectValues(form: Element, filled: ReadonlyMap<Element, string>): Filled[] {
  const values: Filled[] = [];
  let submitted = false;
  for (const field of findFields(form)) {
    const name = getAttribute(field, 'name');
    if (name === undefined || name === '' || getAttribute(field, 'disabled') !== undefined) continue;
    const own = filled.get(field);
    const isSubmit = isSubmitButton(field);
    if (own !== undefined) values.push({ name, value: own });
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
  const chosen = options.filter((option) => getAttribute(option, 'selected') !== undefined);
  const multiple = getAttribute(field, 'multiple') !== undefined;
  const taken = chosen.length > 0 ? chosen : multiple ? [] : options.slice(0, 1);
  return taken.map((option) => getAttribute(option, 'value') ?? textContent(option).trim());
}

function isSubmitButton(field: Element): boolean {
  const type = getAttribute(field, 'type')?.toLowerCase();
  return field.name === 'button' ? type === undefined || type === 'submit' : type === 'submit';
}

/** Describes the existing forms for a person who is looking for the right one. */
export function describeForms(page: HtmlPage): string {
  const forms = findForms(page);
  if (forms.length === 0) return 'the page has no form';
  const shown = forms.slice(0, MOST_FORMS_SHOWN).map((form) => {
    const name = getAttribute(form, 'name') ?? getAttribute(form, 'id');
    const names = findFields(form).flatMap((field) => getAttribute(field, 'name') ?? []);
    const list = names.slice(0, MOST_FIELDS_SHOWN).join(', ').slice(0, 300) || 'no fields';
    return `${name === undefined ? 'a form without a name' : `form ${name.slice(0, 60)}`} with ${list}`;
  });
  const more = forms.length > MOST_FORMS_SHOWN ? `; and ${forms.length - MOST_FORMS_SHOWN} more` : '';
  return `the page has ${shown.join('; ')}${more}`;
}

/** The field's name, by which the login form is recognized on other pages. */
export const getFieldName = (field: Element): string | undefined => getAttribute(field, 'name');

const findForms = ({ document }: HtmlPage): Element[] =>
  selectAll<AnyNode, Element>('form', document).filter(isTag).slice(0, MOST_FORMS);

const findFields = (form: Element): Element[] => selectAll<AnyNode, Element>(FIELDS, form).filter(isTag);

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
  const around = URL.parse((base && getAttribute(base, 'href')) ?? '', url)?.href ?? url;
  const action = getAttribute(element, 'action')?.trim();
  const target = URL.parse(action === undefined || action === '' ? url : action, around);
  if (!target) return undefined;
  const method = getAttribute(element, 'method')?.toLowerCase() === 'post' ? 'POST' : 'GET';
  return { element, action: target.href, method, multipart: /multipart/i.test(getAttribute(element, 'enctype') ?? '') };
}
