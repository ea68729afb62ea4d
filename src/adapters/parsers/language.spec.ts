import { describe, expect, it } from 'vitest';
import { determineLanguage } from './language.js';

const GERMAN =
  'Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller staatlichen Gewalt.';

describe('the language', () => {
  it.each([
    ['de', 'de'],
    [' EN-us ', 'en-US'],
    ['pt_BR', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    ['en-uk', 'en-GB'],
    ['ger', 'de'],
    ['gsw-CH', 'gsw-CH'],
    ['io', 'io'],
  ])('is what the page declares: %j', (declared, language) =>
    expect(determineLanguage([declared], () => GERMAN)).toBe(language),
  );

  it('is the first valid language of a list', () => {
    expect(determineLanguage([undefined, '', 'und', 'fr'], () => GERMAN)).toBe('fr');
  });

  it.each(['', 'x-default', 'english', '*', 'en,de', '{{lang}}', 'zxx', 'd', 'jp', 'ua-UA', 'dk'])(
    'is detected from the text when the page declares %j',
    (declared) => {
      expect(determineLanguage([declared], () => GERMAN)).toBe('de');
    },
  );

  it('is not guessed from a few words', () => {
    expect(determineLanguage([], () => 'Die Würde')).toBeUndefined();
  });
});
