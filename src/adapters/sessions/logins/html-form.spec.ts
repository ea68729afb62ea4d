import { expect, it } from 'vitest';
import { collectValues, describeForms, findField, findForm, parsePage } from './html-form.js';

const page = (html: string) => parsePage(html, 'http://a.test/login');

it('has no nested forms, as in browsers, so that no field belongs to several', () => {
  const nested = page('<form name=outer><form name=inner><input name=user><input name=secret></form>');
  expect(describeForms(nested)).toBe('the page has form outer with user, secret');
  expect(findForm(nested, 'inner', [])).toBeUndefined();
  expect(findForm(nested, undefined, ['user', 'secret'])).toMatchObject({ action: 'http://a.test/login' });
});

it('finds fields by name or selector, and none by other text', () => {
  const { element } = findForm(page('<form><input name=a id=one><input name=b class=two></form>'), undefined, ['a'])!;
  expect(findField(element, '#one')?.attribs['name']).toBe('a');
  expect(findField(element, 'input.two')?.attribs['name']).toBe('b');
  expect(findField(element, 'x[')).toBeUndefined();
});

it('fields outside their form belong to it, and the button that is pressed says where they are sent', () => {
  const html = `<form id=f method=get action="/wrong"><input name=inside><input name=other form=g></form><input name="u" form=f>
    <input type="password" name="p" form=f><button form=f formaction="/do-login" formmethod=post>go</button>
    <button form=f name=second formaction="/other">no</button>`;
  const form = findForm(page(html), undefined, ['u', 'p'])!;
  expect(form).toMatchObject({ action: 'http://a.test/do-login', method: 'POST' });
  const filled = new Map([[findField(form.element, 'u')!, 'robot']]);
  expect(collectValues(form.element, filled)).toEqual([
    { name: 'inside', value: '' },
    { name: 'u', value: 'robot' },
    { name: 'p', value: '' },
  ]);
});

it('a picture may be the button that is pressed, and fields of a disabled group are not sent', () => {
  const collect = (html: string) => {
    const { element } = findForm(page(`<form>${html}</form>`), undefined, ['u'])!;
    return collectValues(element, new Map([[findField(element, 'u')!, 'robot']])).map(
      ({ name, value }) => `${name}=${value}`,
    );
  };
  expect(collect('<input name=u><input type=image name=login src=go.gif><input type=submit name=cancel>')).toEqual([
    'u=robot',
    'login.x=0',
    'login.y=0',
  ]);
  expect(collect('<input name=u><input type=image>')).toEqual(['u=robot', 'x=0', 'y=0']);
  expect(collect('<fieldset disabled><div><input name=other value=1></div></fieldset><input name=u>')).toEqual([
    'u=robot',
  ]);
});
