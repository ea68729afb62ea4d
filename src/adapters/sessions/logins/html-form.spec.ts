import { expect, it } from 'vitest';
import { describeForms, findField, findForm, parsePage } from './html-form.js';

const page = (html: string) => parsePage(html, 'http://a.test/login');

it('knows no form inside another, as browsers do, so that no field is looked at for several', () => {
  const nested = page('<form name=outer><form name=inner><input name=user><input name=secret></form>');
  expect(describeForms(nested)).toBe('the page has form outer with user, secret');
  expect(findForm(nested, 'inner', [])).toBeUndefined();
  expect(findForm(nested, undefined, ['user', 'secret'])).toMatchObject({ action: 'http://a.test/login' });
});

it('finds fields by name, by selector, and none by a text that is neither', () => {
  const { element } = findForm(page('<form><input name=a id=one><input name=b class=two></form>'), undefined, ['a'])!;
  expect(findField(element, '#one')?.attribs['name']).toBe('a');
  expect(findField(element, 'input.two')?.attribs['name']).toBe('b');
  expect(findField(element, 'x[')).toBeUndefined();
});
