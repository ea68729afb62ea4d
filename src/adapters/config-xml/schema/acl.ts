/** Who may see documents (docs/ACL.md). */
import * as t from '../value-types.js';
import { attribute, elementFactory } from './spec.js';

const element = elementFactory('cw');

export const ACL = element(
  'Acl',
  'Who may see the documents of the crawler, delivered as `acl_allow` and `acl_deny` (docs/ACL.md).',
  {
    default: attribute(
      t.text,
      'Principals that may see documents that no rule, header or meta covers, separated by commas.',
      {
        default: '',
      },
    ),
    header: attribute(t.headerName, 'Response header with principals that may see the page.'),
    denyHeader: attribute(t.headerName, 'Response header with principals that may not see the page.'),
    meta: attribute(t.word, 'Meta of the page with principals that may see it.'),
    denyMeta: attribute(t.word, 'Meta of the page with principals that may not see it.'),
    file: attribute(t.fileName, 'File with lines `allow|deny PREFIX principal, principal`.'),
  },
  { once: true, children: ['AclRule'] },
);

export const ACL_RULE = element(
  'AclRule',
  'Principals for the URLs with a prefix; the longest matching prefix counts.',
  {
    url: attribute(t.httpUrl, 'Prefix of the URLs.', { required: true }),
    allow: attribute(t.text, 'Principals that may see them, separated by commas.', { default: '' }),
    deny: attribute(t.text, 'Principals that may not see them, separated by commas.', { default: '' }),
  },
);
