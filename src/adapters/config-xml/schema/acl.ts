/** The elements that say who may see documents (docs/acl.md). */
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

const element = createElementFactory('cw');

export const ACL = element(
  'Acl',
  'Who may see the documents of the crawler, delivered as `acl_allow` and `acl_deny` (docs/acl.md).',
  {
    default: attribute(
      t.text,
      'Principals that may see documents not covered by any rule, header or meta; separated by commas.',
      {
        default: '',
      },
    ),
    header: attribute(t.headerName, 'Response header that lists principals that may see the page.'),
    denyHeader: attribute(t.headerName, 'Response header that lists principals that may not see the page.'),
    meta: attribute(t.nonEmptyText, 'Meta that lists principals that may see the page.'),
    denyMeta: attribute(t.nonEmptyText, 'Meta that lists principals that may not see the page.'),
    file: attribute(t.fileName, 'File with one entry per line: `allow|deny PREFIX principal, principal`.'),
  },
  { once: true, children: ['AclRule'] },
);

export const ACL_RULE = element(
  'AclRule',
  'Principals for all URLs with a given prefix; the longest matching prefix applies.',
  {
    url: attribute(t.httpUrl, 'Prefix of the URLs that the element covers.', { required: true }),
    allow: attribute(t.text, 'Principals that may see these documents, separated by commas.', { default: '' }),
    deny: attribute(t.text, 'Principals that may not see these documents, separated by commas.', { default: '' }),
  },
);
