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

/** Our own sentences with the letters and small words that distinguish related languages with the same script. */
const NEIGHBOURS: Record<string, string> = {
  jv: 'Omah iki gedhe lan resik, wong ing desa iku saben dina menyang sawah, uga ora lali marang kancane.',
  su: 'Imah éta gedé jeung beresih, jalma di kampung indit ka sawah unggal poé sarta teu poho kana baturna, bisa ogé diuk dina taman.',
  mg: 'Ny trano dia lehibe sy madio, ary ny olona rehetra ao an-tanàna mandeha any an-tsaha isan’andro izay tsy mandry fa misy asa.',
  mk: 'Оваа куќа има ѕид и врата, а луѓето се среќни. Тие одат на пазар секој ден и купуваат леб.',
  kk: 'Бұл қалада көп адам тұрады, олар күн сайын жұмысқа барады және кешке үйге қайтады.',
  tg: 'Ин шаҳр хеле калон аст ва мардуми он ҳар рӯз ба кор мераванд, ҷавонон мехонанд.',
  mn: 'Энэ хот маш том бөгөөд хүмүүс өдөр бүр ажилдаа явж, орой гэртээ ирдэг юм.',
  mr: 'हे शहर खूप मोठे आहे आणि इथले लोक रोज कामावर जातात. मुले शाळेत शिकतात आणि खेळतात.',
  ga: 'Tá an teach mór agus tá na daoine ina gcónaí ann go sona. Bhí sé ag obair ar an bhfeirm gach lá le fada.',
  mt: 'Din hija l-belt il-kbira li fiha kull min jaħdem u dan hu minn żmien għal żmien jew fuq ix-xogħol ta kuljum.',
  gl: 'Esta é unha casa que ten máis dun andar, e as persoas que viven nela son ou foron veciños da vila; non hai outra como ela.',
  az: 'Bu kitab çox yaxşıdır və bütün uşaqlar üçün maraqlıdır, hər gün bir hekayə oxumaq olar, sonra da yuxu gəlir.',
  sq: 'Kjo shtëpi është e madhe dhe ka një kopsht me lule, por nuk ka ujë; ne do të shkojmë për të parë.',
  cy: "Mae'r tŷ yn fawr ac mae gan y teulu ardd ar y bryn, ond nid oes neb yn byw yno wedi i'r gaeaf ddod.",
  tl: 'Ang bahay na ito ay malaki at may hardin sa likod, ngunit hindi pa ito handa para sa mga bata ng bayan.',
  af: 'Die huis is nie groot nie, maar dit het een tuin met baie blomme en die kinders kan daar speel sodat hulle nog bly is.',
  ky: 'Бул шаар абдан чоң жана адамдар күн сайын ишке барат, ал үчүн автобус менен жүрүшөт.',
};

/** Our own sentences of about 50 characters, in which there are few small words. */
const SHORT: Record<string, string> = {
  cs: 'Nová kovárna otevře své dveře návštěvníkům příští týden.',
  da: 'Den gamle smedje åbner igen i begyndelsen af måneden.',
  fi: 'Vanha sepänpaja avataan uudelleen ensi viikolla kaupungissa.',
  en: 'Opening hours change next week because of construction work.',
  de: 'Öffnungszeiten ändern sich nächste Woche wegen Bauarbeiten.',
  tr: 'Eski demirci atölyesi önümüzdeki hafta yeniden açılacak.',
  uk: 'Стара кузня знову відкриється наступного тижня у місті.',
  be: 'Старая кузня зноў адчыніцца на наступным тыдні ў горадзе.',
  bg: 'Старата ковачница ще отвори отново следващата седмица.',
  fa: 'آهنگری قدیمی هفته آینده در شهر دوباره باز می‌شود.',
  nn: 'Smia opnar ikkje før neste veke, seier dei som arbeider der.',
  mk: 'Старата ковачница повторно работи во среда.',
  af: 'Hulle het gesê dat die smidswinkel nie voor môre oop is nie.',
};

/** Languages that are identified by their script or unique letters, so that a few words are enough. */
const BY_LETTERS = ['si', 'or', 'as', 'ti', 'yi', 'ps', 'ug', 'sd'];

describe('the language is recognized', () => {
  it.each(BY_LETTERS)('of %s, by its letters', (language) => {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    const words = 'DE FR IT ES GR TR RU UA BG IL EG CN JP US GB BR MX CA NO SE FI PL CZ HU RO'.split(' ');
    expect(detectLanguage(words.map((code) => names.of(code)).join(' '))).toBe(language);
  });

  it.each(Object.entries(NEIGHBOURS))('%s', (language, text) => expect(detectLanguage(text)).toBe(language));

  it.each(Object.entries(ARTICLE))('%s', (language, text) => expect(detectLanguage(text)).toBe(language));

  it.each(Object.entries(SHORT))('%s, in a short text', (language, text) =>
    expect(detectLanguage(text)).toBe(language),
  );

  it('where diacritics are written separately from their letters', () => {
    const text = 'Ngôi nhà này rất lớn và sạch sẽ, mọi người trong làng đều đi làm và không quên bạn bè của họ được.';
    expect(detectLanguage(text.normalize('NFD'))).toBe('vi');
  });

  it('among foreign names and code', () => {
    const code = 'std::vector<int> getElementById(foo) { return bar.baz(qux); } ';
    expect(detectLanguage(`${code}${ARTICLE['de']} ${code}`)).toBe('de');
    expect(detectLanguage(`${code.repeat(2)}${ARTICLE['ja']!.repeat(2)}${code}`)).toBe('ja');
  });

  it('in the middle of a long page', () => {
    expect(
      detectLanguage(`${'menu item '.repeat(1_000)}${ARTICLE['fr']!.repeat(10)}${' link list'.repeat(1_000)}`),
    ).toBe('fr');
  });

  it('among words of no language, and beside characters that are not letters', () => {
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

describe('no language is guessed', () => {
  it.each(['', 'Die Würde', '42 17 3.14', 'int foo bar baz qux quux corge grault garply waldo fred', '★ ♥ ✓', 'Анна'])(
    'for %j',
    (text) => {
      expect(detectLanguage(text)).toBeUndefined();
    },
  );
});
