import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from './language-detection.js';

/** Article 1 of the Universal Declaration of Human Rights. */
const ARTICLE: Record<string, string> = {
  en: 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.',
  de: 'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.',
  fr: 'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  es: 'Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.',
  it: 'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.',
  pt: 'Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.',
  nl: 'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.',
  sv: 'Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.',
  fi: 'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.',
  pl: 'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa, a nie jak inni.',
  hu: 'Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.',
  tr: 'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler, bu da daha çok bir görevdir.',
  ru: 'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  uk: 'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю.',
  bg: 'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест.',
  el: 'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
  ar: 'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا',
  fa: 'تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند و باید با یکدیگر رفتار کنند چون گروه پیروان',
  he: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון',
  zh: '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  ja: 'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  ko: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 이성과 양심을 부여받았다.',
  th: 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  hi: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
};

describe('the language is recognised', () => {
  it.each(Object.entries(ARTICLE))('%s', (language, text) => expect(detectLanguage(text)).toBe(language));

  it('between foreign names and code', () => {
    const code = 'std::vector<int> getElementById(foo) { return bar.baz(qux); } ';
    expect(detectLanguage(`${code}${ARTICLE['de']} ${code}`)).toBe('de');
    expect(detectLanguage(`${code.repeat(2)}${ARTICLE['ja']!.repeat(2)}${code}`)).toBe('ja');
  });

  it('in the middle of a long page', () => {
    expect(
      detectLanguage(`${'menu item '.repeat(1_000)}${ARTICLE['fr']!.repeat(10)}${' link list'.repeat(1_000)}`),
    ).toBe('fr');
  });

  it('whatever words of no language stand between, and beside whatever is no letter', () => {
    const word = fc.string({ unit: fc.constantFrom('j', 'q', 'x', 'đ', 'ỹ', '\u1eff'), minLength: 3, maxLength: 9 });
    const between = fc.constantFrom(' ', '.', '0', '\u00d7', '\u0250', '\u2014');
    const latin = fc.constantFrom('en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'fi', 'pl', 'hu', 'tr');
    fc.assert(
      fc.property(latin, word, between, (language, other, sign) => {
        const text = ARTICLE[language]!.replaceAll(' ', `${sign}${other}${sign}`);
        expect(detectLanguage(text)).toBe(detectLanguage(ARTICLE[language]!));
        expect(detectLanguage(text.replaceAll(sign, ''))).toBeUndefined();
      }),
    );
  });
});

describe('no language is made up', () => {
  it.each(['', 'Die Würde', '42 17 3.14', 'int foo bar baz qux quux corge grault garply waldo fred', '★ ♥ ✓', 'Анна'])(
    'for %j',
    (text) => {
      expect(detectLanguage(text)).toBeUndefined();
    },
  );
});
