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
