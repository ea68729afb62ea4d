import { expect, it } from 'vitest';
import { detectLanguage } from './language-detection.js';

it.each([
  ['ms', 'Beliau berkata kerajaan akan membina sekolah baharu bagi penduduk kampung itu kerana'],
  ['id', 'Ia mengatakan perusahaan itu bisa membangun sekolah baru karena warga desa butuh uang'],
  ['xh', 'Abantwana bafunda isiXhosa esikolweni ngeli xesha kwaye utitshala uyabafundela iincwadi'],
  ['zu', 'Izingane zifunda isiZulu esikoleni ngalesi sikhathi futhi uthisha uzifundela izincwadi'],
  ['nn', 'Dei som bur her veit ikkje kva kommunen vil gjere med den gamle skulen no'],
  ['nb', 'De som bor her vet ikke hva kommunen vil gjøre med den gamle skolen nå'],
  ['af', 'Die mense wat hier woon weet nie wat die stad met die ou skool wil doen nie'],
  ['nl', 'De mensen die hier wonen weten niet wat de stad met de oude school wil doen'],
  ['ca', 'La gent que viu aquí no sap què vol fer la ciutat amb aquesta vella escola'],
  ['es', 'La gente que vive aquí no sabe qué quiere hacer la ciudad con esta vieja escuela'],
  ['mk', 'Луѓето што живеат тука не знаат што сака да прави градот со старото училиште'],
  ['bg', 'Хората, които живеят тук, не знаят какво иска да прави градът със старото училище'],
  ['sr', 'Људи који овде живе не знају шта град жели да уради са старом школом'],
  ['mn', 'Энд амьдардаг хүмүүс хотын захиргаа хуучин сургуулийг яах гэж байгааг мэдэхгүй байна'],
  ['sr', 'Ljudi koji ovde žive ne znaju šta grad želi da uradi sa starom školom sledeće nedelje'],
  ['sr', 'Beograd je glavni i najveći grad Srbije, a u njemu živi preko milion i po ljudi'],
  ['hr', 'Ljudi koji ovdje žive ne znaju što grad želi učiniti sa starom školom sljedećeg tjedna'],
  ['hr', 'Zagreb je glavni i najveći grad Hrvatske, a u njemu živi preko osamsto tisuća ljudi'],
  ['uz', 'Бу ерда яшовчи одамлар шаҳар эски мактаб билан нима қилмоқчи эканини ва ўқувчилар йўлини билмайди'],
  ['kk', 'Мұнда тұратын адамдар қаланың ескі мектеппен не істегісі келетінін білмейді'],
  ['tt', 'Монда яшәүче кешеләр шәһәрнең иске мәктәп белән ни эшләргә теләгәнен белми'],
  ['yi', 'די מענטשן וואס וואוינען דא ווייסן נישט וואס די שטאט וויל טאן מיט דער אלטער שול'],
  ['he', 'הָאֲנָשִׁים שֶׁגָּרִים כָּאן אֵינָם יוֹדְעִים מָה הָעִיר רוֹצָה לַעֲשׂוֹת עִם בֵּית הַסֵּפֶר אָדָם אַחֵר'],
  ['fa', 'مسئولان تأمین اجتماعی استان از مردم خواستند مدارک خود را تا آخر ماه ارائه دهند'],
  ['fa', 'مردم این شهر در انتظار باران بودند و آن را با شادي به هم تبريك مي گفتند'],
  ['ar', 'أعلنت شركة گوگل عن افتتاح مكتب جديد لها في مدينة أربيل وستوظف فيه عددا من المهندسين'],
  ['ar', 'تعلن الشرکة عن فتح باب التوظیف فی جمیع الفروع وعلی المتقدمین مراجعة المکتب'],
  ['ja', '経済産業省 報道発表 平成三十年度 中小企業庁 電力事業部 技術開発本部 研究所案内'],
  [
    'zh',
    '广岛市的ひろしま美术馆收藏了很多画作，每年有来自世界各地的游客前来参观，其中さくらまつり和ゆり展最受欢迎，门票可以在网上预订，学生和老人享受优惠。美术馆位于市中心，乘坐电车即可到达，馆内设有餐厅和商店，周一闭馆，节假日照常开放。',
  ],
  ['zh', '經濟部發布產業報告，指出今年電力與技術開發的投資較去年增加，並將在各縣市舉辦說明會'],
  ['hi', 'यहाँ रहने वाले लोग नहीं जानते कि शहर पुराने स्कूल के साथ क्या करना चाहता है'],
  ['mr', 'येथे राहणाऱ्या लोकांना माहीत नाही की शहराला जुन्या शाळेचे काय करायचे आहे'],
  ['sw', 'Watu wanaoishi hapa hawajui kile ambacho mji unataka kufanya katika shule ya zamani'],
  ['eu', 'Hemen bizi den jendeak ez daki hiriak zer egin nahi duen eskola zaharrarekin'],
  ['ga', 'Níl a fhios ag na daoine atá ina gcónaí anseo cad atá an chathair ag iarraidh a dhéanamh'],
  ['eo', 'Homoj, kiuj loĝas ĉi tie, ne scias, kion la urbo volas fari pri la malnova lernejo'],
])('recognizes %s beside its neighbours', (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});

it.each([
  ['Malay and Indonesian', 'dan yang itu tidak dengan untuk dari dalam ini'],
  ['the two Norwegians', 'Det var i Oslo og Bergen for to år sidan'],
])('says nothing about a text that %s share', (_, text) => expect(detectLanguage(text)).toBeUndefined());

const REPEATED = 12;

/** Pages offer themselves in other languages, and name people and places of other countries. */
it.each([
  [
    'ru',
    'Библиотека города открывает новый зал для детей и молодёжи.',
    'Українська Қазақша Тоҷикӣ Ўзбекча Башҡортса Српски Ѓорѓи',
  ],
  [
    'bg',
    'Библиотеката на града открива нова зала за деца и младежи, която е отворена всеки ден.',
    'Українська Љубљана Ђоковић',
  ],
  [
    'ar',
    'تفتح مكتبة المدينة قاعة جديدة للأطفال والشباب كل يوم من الصباح إلى المساء.',
    'فارسی پښتو اردو کوردی سۆرانی ئۇيغۇرچە سنڌي ٹویٹر',
  ],
  [
    'fa',
    'کتابخانه شهر تالار تازه ای برای کودکان و جوانان باز می کند که هر روز باز است.',
    'العربية پښتو اردو سۆرانی ئۇيغۇرچە سنڌي ٹویٹر',
  ],
  ['am', 'የከተማው ቤተ መጻሕፍት ለልጆችና ለወጣቶች አዲስ አዳራሽ በየቀኑ ይከፍታል።', 'ትግርኛ ኣብ'],
] as const)('a page in %s that names others stays in it', (language, sentence, names) => {
  expect(detectLanguage(`${sentence} `.repeat(REPEATED) + names)).toBe(language);
});
