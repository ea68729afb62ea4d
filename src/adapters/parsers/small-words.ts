/** Distinguishes languages in the Latin script by the small words that every text contains. */

/** Minimum number of small words, and minimum ratio of the best language to the second best. */
const MIN_WORDS = 4;
const MIN_LEAD = 1.25;
/** Whenever this many more small words have been found, a lead of at least CLEAR_LEAD ends the search. */
const CLEAR_WORDS = 20;
const CLEAR_LEAD = 3;

const SMALL_WORDS: Record<string, string> = {
  en: 'the of and to in is that for it with as was on be by this are from at or an not which have has you can will if',
  de: 'der die und das ist nicht von zu den mit sich des auf für ein eine dem als auch es werden wird im bei oder aus nach kann sind wie keine wenn oder dieser',
  fr: 'le la les de des et est en un une du que qui dans pour pas sur au avec ce il sont par plus vous nous ne être ou cette',
  es: 'el la los las de y en que es un una por con para del se no su al como más lo este son o pero sus fue esta si puede sin sobre cuando también sólo ser hay está todos unos otros entre desde hasta donde',
  it: 'il di che la e è un una per in del non con si della i da sono le dei nel alla come più gli anche questo essere',
  pt: 'o a os as de e que em um uma para com não do da dos das no na se por mais como é ao são ou foi pode esta este pelo pela quando só também está há já ser sem seu sua',
  ca: 'el la els les de i a en que per un una amb no és del al com més seva aquest també són aquesta pot ha hi o sense està ser si dels quan només aquests molt van tots pels haver fer això què seves fins entre',
  nl: 'de het een en van is dat op te in voor met zijn niet aan er door worden wordt ook als bij naar uit kan deze of geen hebben heeft moet zij hun ik hij we ze haar je dit wat nog meer over had was wel daar veel toch zo waar wil gaan maar mensen tijd jaar twee omdat hoe zou',
  sv: 'och att det som en är på för av inte med den till ett om har de i kan från eller vid var du men så',
  da: 'og at det er en af på til for som den med ikke har der de et kan fra eller om ved skal var efter blev mere kun nogen noget blive bliver så dette hvor denne hvis være nye alle filen jeg hun sig hvad også vi han hende mange hvordan end mellem sin selv gør andre over kommer hjem meget flere nu her får deres ud op min',
  nb: 'og at det er en av på til for som den med ikke har de et kan fra eller om ved skal var etter ble mer å jeg bare noen noe blir så dette hvor denne hvis være nye alle filen hun seg hva også vi han henne mange hvordan enn mellom sin selv gjør andre over kommer hjem mye flere nå her får hennes',
  fi: 'ja on ei että se hän oli ovat myös kun tai joka mutta kuin voi sen niin tämä ole sekä jos hänen heidän heille sitä on',
  pl: 'i w na z do nie się jest to że o jak za od przez po dla są być oraz ale tym który lub jego',
  cs: 'a v na je se že z do o s to pro za jako by jsou nebo ale při byl které může podle být',
  sk: 'a v na je sa že z do o s to pre za ako by sú alebo ale pri bol ktoré môže podľa byť',
  hr: 'i u je na da se za od su s o kao a ili koji koja nije iz te biti što nema može samo ako već biti ne li bez',
  hu: 'a az és hogy nem is egy ez van meg de csak volt vagy mint azt ha el kell még lehet',
  ro: 'și de la în a cu pe este un o care nu din se pentru mai sunt ca sau fi prin după',
  tr: 've bir bu için ile da de olarak daha olan çok en gibi kadar sonra ne değil veya her',
  id: 'yang dan di dengan untuk dari dalam ini itu tidak pada adalah akan atau juga oleh ke dapat harus telah mereka ada kami kita saya anda tersebut seperti lebih sebagai secara para sementara hanya namun bukan tahun belum menurut lagi jadi kalau sangat masih hingga tetapi ingin sehingga melakukan memiliki beberapa orang kamu kata dua pun terhadap pihak rakyat supaya masa negara isu turut berkata lain ketika jika saat sudah ujar perlu mesti jalan warga kepada bahwa karena bisa mengatakan sekitar uang perusahaan kantor usai mobil adanya sejumlah maka polisi mau tapi sejak sedangkan tanggal',
  et: 'ja ei et kui ka oma või mis ta oli kes siis aga nii ning tema võib seda on pole ole saab kas peab kõik selle välja',
  lv: 'un ir ar no uz par kas ka vai tiek arī to pēc bet tā tas ko lai nav kā ja',
  lt: 'ir yra kad su iš į tai kaip ar bei kurie buvo už per apie arba pagal tik nuo jo kai ne jei turi nėra būti ši šis gali bus kuri kurį jos jie tačiau dar jau labai mano savo todėl nors metų prie iki taip pat',
  sl: 'in je na da se za so ki v z ni ali kot pri tudi od po bi iz biti lahko kar ter',
  is: 'og að í á er sem til við um með en það ekki hann var af fyrir eða eru því',
  eu: 'eta da ez bat du dira ere izan den dute egin zen baina edo hau beste dela zuen duen hori zaio ditu dituzte egiten baino arte gero bere haien hartan nahi zuten ziren duten gure edota gainean artean bezala berri urte',
  ga: 'agus an na is ar le do go ag sé ina leis nó ó bhí tá chun gach mar aon acu ann siad bheith cearta sa den ach sin bhfuil seo níl raibh faoi í é idir nach níos dá ba iad eile don mó féin air aige nuair anois roimh mé tú muid beidh as',
  mt: 'li il ta u minn dan din għal fuq kull jew hu hija fil tal kif mill għall hemm ma kienet huma tkun bħal',
  gl: 'o a os as de e que en un unha para con non do da dos das no na se por máis como é ao son ou foi toda ten estes esta este pola polo coa cando só tamén está hai xa pode ser sen',
  vi: 'và của là có cho không được các trong một người những này với để khi từ',
  az: 'və bu bir üçün ilə da də olan olaraq daha çox ki hər ya kimi sonra deyil heç bütün əgər isə edir hüququ',
  uz: 'va bu bir uchun bilan ham emas yoki kerak mumkin deb agar har lekin uni barcha ega edi esa oʻz',
  sq: 'dhe në të e i një për me nga që është më nuk ka se si do kjo ky janë por ose duke mund u gjithë',
  cy: "yn y yr a i o ar ei gan nid mae am wedi oedd hyn bod neu ac eu fel sydd oes gyda bydd cael ond roedd mewn rhai hynny iawn hefyd fod nad ddim mwy dros pob gael gwaith blynyddoedd byddai iddo fe ni chi'r ydy yw'r un cyn bob sy rhwng",
  tl: 'ang ng sa na mga ay at hindi ito para ni kung may isang nang o siya wala upang mula bawat ko mo ka niya si ako kanyang kami tayo pa din ba naman dahil sila nila akin iyon noong',
  af: 'die van en in is het nie te om dat word vir met op aan wat as sy deur ook kan moet was nog geen of tot ek jy hy hulle ons jou my julle hierdie daardie daar maar baie sal sou wees gehad gaan toe uit tussen haar een twee na by jaar mense omdat hoe waar',
  ms: 'yang dan di dengan untuk dari dalam ini itu tidak pada adalah akan atau juga oleh ke dapat harus telah mereka ada kami kita saya anda tersebut seperti lebih sebagai secara para sementara hanya namun bukan tahun belum menurut lagi jadi kalau sangat masih hingga tetapi ingin sehingga melakukan memiliki beberapa orang kamu kata dua pun terhadap pihak rakyat supaya masa negara isu turut berkata lain ketika jika saat sudah ujar perlu mesti jalan warga kepada bahawa kerana iaitu selepas sahaja mahu syarikat polis wang kereta pelbagai katanya beliau menerusi apabila daripada hendaklah kerajaan jabatan kes sekiranya bagaimanapun manakala boleh ialah bagi pejabat mengikut perkara sebanyak semasa',
  jv: 'lan ing kang sing iku iki saka karo ora uga kanggo marang dening utawa saben wong bisa kudu nduwèni menawa',
  su: 'jeung nu anu teu kana ti dina pikeun sarta atawa ku bisa kudu aya éta unggal jalma boga henteu',
  mg: 'ny sy dia ho amin izay tsy fa na ireo misy olona tokony araka ary aza manana rehetra',
  eo: 'la kaj de en estas ne por ke al kun aŭ tiu el pri sed kiel oni povas per kiu sur ĝi da se ĉi li ŝi mi vi ni ili estis nur ankaŭ pli tre kiuj tiuj sia iu kio ĉiuj post dum inter havas lia ĝis jam ol tio do kie',
  oc: 'lo la los las de e en que un una per es pas dins amb del se aquesta al mas son sus aqueste ni o',
  ast: 'el la los les de y en que un una por con del nun esti esta al pa ye o como más son pue',
  so: 'waa oo iyo ka ku la in uu ay ah ee si waxaa ayaa inuu ama kale leh qof u ayuu soo kuu waxay sida uga lagu kala isaga aan dadka mar wax wuxuu loo laga dalka badan aad kaas markii ugu hore inay ayay doonaa',
  sw: 'na ya wa kwa ni katika la za ili kuwa au hii kama cha hiyo yake watu kila lakini mtu huo hilo alisema baada pia yao sana si kwamba ambayo ambao wakati kutoka hivyo vya huyo wake kazi mwaka serikali hata ndani kuhusu bila bado moja hayo wao',
  rw: 'mu ku ya wa kandi cyangwa iyi muri kuri ariko ibyo uyu na ntibishoboka bya umuntu ubwo',
  zu: 'futhi uma ukuthi kodwa noma ngoba ukuze le lo wonke umuntu njalo lapho kumele ngaphandle abantu kakhulu kanye kwakhe lokhu ukuba kule lapha uthe ngesikhathi ne kwa yakhe yokuthi kuphela emva ngemuva manje nje wakhe lokho kuyo ngo yini khona kunjalo bese wathi njengoba kanti okwamanje abakhe wabo ukwenza kusukela ngokusho umuzi abanye kuze sekuyi ngaphambi imali bathi nokuthi nge inkosi kumanje eminyaka isikhathi ngenxa lona yakho wami bami kimi lolu kulolu ayi uku waye izinto usuku umsebenzi kusho uthi bonke akukho kulo ngaso',
  xh: 'kunye okanye ukuba kwaye le lo kodwa xa ngoku akukho onke wonke ngumntu into kule ngaphandle abantu kakhulu nje oko apho okokuba yakhe ngenxa kwa wathi uthi emva ngexesha loo kwakhe kuba yintoni kuphela kananjalo ukuze umntu ngokuba njengoko nto bakhe kwi njengokuba sele wakhe yayo zayo abo bonke zonke kuyo ngenye ngaba ewe hayi uthixo ekuthiwa ndi ndiya imini ukwenza kunjalo emveni ngoko kuloo iintsuku kwiminyaka yindlela kuye nokuba yokuba wabo bam wam kum ukususela lwe elo ngokwe kwelo andi akakwazi yaba waye wayengu ayi kubo imali umsebenzi usuku ixesha iimali ngoo',
  ku: 'û li ji di bi ku de ne bo jî ev hemû an ye yên heye nav wê wî her mafê',
  ha: 'da a ta ya na ko ba don wannan ne ce kuma wani yana cikin daga shi domin kowane mutum',
  yo: 'àti ní tí láti fún tàbí gbogbo kò sì bá lè ti sí a ó',
  ig: 'na nke ya ka nwere ndị ọ ga ma onye bụ ihe a ike ọzọ',
  nn: 'ikkje ein eit og er på i til for som med frå eller vert dei kan har det den av å ho blir eg me dykk noko nokre berre meir mykje kva korleis kvar vart var skal vil vere då no sjølv også etter om seg kjem gjer fleire andre mellom heile heim',
  br: 'ar an ur e a da eo ha hag ez evit gant ne ket war eus pe o zo',
  la: 'et in est non ad ut cum sed quod qui ex per quae esse sunt ab de enim etiam aut hoc quam atque nec si autem eius quoque post',
  mi: 'te o ki i nga he ko me kua ka ana ahau koe ia mō mai atu tonu hoki e a kia rā nei ngā rātou tēnei tana mea mātou runga roto',
  tn: 'go le ba e mo ka ga a o ya wa fa re ke gore mme di tsa kwa se tla bo jwa jaaka batho fela morago gonne yo bone',
  st: "ho le ba ea ka ha a o tsa ke hore 'me joaloka oa e se bo batho hae empa kapa ena eo tla li ne bona feela mong",
  sn: 'uye kuti ne kuna pa mu zvino kana asi vanhu iri nokuti ku iyo iye munhu izvi kubva ava nguva kwete zvakanaka zvinhu iyi makore haana vari ari',
  lg: 'nti mu ku era ne ye ba nga naye oba abantu ekyo kya ka okuva olw bwe nnyo bya byonna buli gwa wa omu ya kuba ate kino',
  ts: 'leswi na ku hi xa va ni ya ka loko kumbe hikuva swi nga ndzi ri eka la wa leri vanhu hinkwavo leswaku naswona kutani tin kambe yena xi',
};

const LANGUAGES = Object.keys(SMALL_WORDS);
/** Maps words to the indexes of the languages that use them. */
const LANGUAGES_BY_WORD = new Map<string, number[]>();
for (const [languageIndex, language] of LANGUAGES.entries()) {
  for (const word of new Set(SMALL_WORDS[language]!.split(' '))) {
    LANGUAGES_BY_WORD.set(word, [...(LANGUAGES_BY_WORD.get(word) ?? []), languageIndex]);
  }
}

/** A letter used in Azerbaijani. */
const SCHWA = 0x259;
/** End of the Latin letters, exclusive. */
const LATIN_END = 0x1f00;
/** 1 for the codes of lower-case letters, accented or not, and of what else occurs in small words. */
const IS_LETTER = new Uint8Array(LATIN_END);
for (let code = 0; code < LATIN_END; code++) IS_LETTER[code] = isLetter(code) ? 1 : 0;
for (const letter of [...LANGUAGES_BY_WORD.keys()].join('')) IS_LETTER[letter.charCodeAt(0)] = 1;

const addLetter = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/**
 * The words by hash. A map would need a string for every word of the text, and V8 interns each string that is looked
 * up. A trie of these words takes half a megabyte, which other work displaces from the processor's cache meanwhile.
 */
const HASHES = new Int32Array(8_192);
/** Word and languages of each hash. */
const ENTRIES: (readonly [word: string, languages: readonly number[]])[] = new Array(HASHES.length);
for (const [word, languages] of LANGUAGES_BY_WORD) {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = addLetter(hash, word.charCodeAt(i));
  let slot = toSlot(hash);
  while (HASHES[slot] !== 0) slot = (slot + 1) % HASHES.length;
  HASHES[slot] = hash;
  ENTRIES[slot] = [word, languages];
}

function toSlot(hash: number): number {
  return (hash ^ (hash >>> 15)) & (HASHES.length - 1);
}

/** The languages of the word that ends before `end`. */
function findLanguages(hash: number, text: string, start: number, end: number): readonly number[] | undefined {
  for (let slot = toSlot(hash); HASHES[slot] !== 0; slot = (slot + 1) % HASHES.length) {
    if (HASHES[slot] !== hash) continue;
    const [word, languages] = ENTRIES[slot]!;
    if (word.length === end - start && text.startsWith(word, start)) return languages;
  }
  return undefined;
}

export interface SmallWords {
  /** The language, if the words are conclusive. */
  readonly language: string | undefined;
  /** How many words speak for a language. */
  readonly scoreOf: (language: string) => number;
  /** The language with the highest score, except those of a set. */
  readonly findBest: (except: ReadonlySet<string>) => string | undefined;
}

/** Looks for small words in a lower-case text. */
export function countSmallWords(text: string): SmallWords {
  const scores = new Float64Array(LANGUAGES.length);
  const language = findLanguage(text, scores);
  return {
    language,
    scoreOf: (one) => scores[LANGUAGES.indexOf(one)] ?? 0,
    findBest: (except) => {
      let best = -1;
      for (let index = 0; index < scores.length; index++)
        if (scores[index]! > (best < 0 ? 0 : scores[best]!) && !except.has(LANGUAGES[index]!)) best = index;
      return LANGUAGES[best];
    },
  };
}

function findLanguage(text: string, scores: Float64Array): string | undefined {
  let wordCount = 0;
  let start = 0;
  let hash = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : 0;
    if (code < LATIN_END && IS_LETTER[code] !== 0) {
      hash = addLetter(hash, code);
      continue;
    }
    const languages = index > start ? findLanguages(hash, text, start, index) : undefined;
    start = index + 1;
    hash = 0;
    if (languages === undefined) continue;
    wordCount++;
    // A word that many languages share says little about any of them.
    for (const language of languages) scores[language]! += 1 / languages.length;
    if (wordCount % CLEAR_WORDS === 0) {
      const language = findWinner(scores, CLEAR_LEAD);
      if (language !== undefined) return language;
    }
  }
  return wordCount < MIN_WORDS ? undefined : findWinner(scores, MIN_LEAD);
}

function isLetter(code: number): boolean {
  const isCommon =
    (code >= 0x61 && code <= 0x7a) || (code >= 0xe0 && code <= 0x24f) || (code >= 0x1ea0 && code <= 0x1eff);
  return isCommon || code === SCHWA;
}

function findWinner(scores: Float64Array, lead: number): string | undefined {
  let bestIndex = 0;
  let secondScore = 0;
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! > scores[bestIndex]!) {
      secondScore = scores[bestIndex]!;
      bestIndex = i;
    } else if (scores[i]! > secondScore) secondScore = scores[i]!;
  }
  return scores[bestIndex]! >= secondScore * lead ? LANGUAGES[bestIndex] : undefined;
}
