import { describe, expect, it } from 'vitest';
import { findSearchProhibition, readPreferences } from './usage-preferences.js';

describe('the usage preferences of a site', () => {
  it.each([
    [{ 'content-usage': 'search=n' }, true],
    [{ 'content-usage': 'train-ai=n, search=y' }, false],
    [{ 'content-usage': 'bots=n' }, true],
    [{ 'content-usage': 'bots=n, search=y' }, false],
    [{ 'content-usage': 'Search="N";x=1, train-ai=y' }, true],
    [{ 'content-usage': 'search=n, search=y' }, false],
    [{ 'content-usage': 'train-ai=n' }, false],
    [{ 'content-signal': 'search=no, ai-train=no' }, true],
    [{ 'content-signal': 'search=yes, ai-train=no' }, false],
    [{ 'tdm-reservation': '1' }, false],
    [{ 'content-usage': ',,=;search' }, false],
  ])('%j forbids a search engine to index: %s', (headers, forbids) =>
    expect(findSearchProhibition(readPreferences(headers as Record<string, string>, [])) !== undefined).toBe(forbids),
  );

  it('are kept as written, the header before a meta element, and bounded', () => {
    const metas = [
      { name: 'tdm-reservation', value: '1' },
      { name: 'tdm-policy', value: 'https://a.example/policy.json' },
    ];
    expect(readPreferences({ 'content-usage': 'Train-AI=n', 'tdm-reservation': '0' }, metas)).toEqual([
      { name: 'content_usage', value: 'Train-AI=n' },
      { name: 'tdm_reservation', value: '0' },
      { name: 'tdm_policy', value: 'https://a.example/policy.json' },
    ]);
    expect(readPreferences({ 'content-usage': 'x'.repeat(5_000) }, [])[0]!.value).toHaveLength(1_000);
  });
});
