/** Tells close languages apart, which share most of their small words and letter groups. */

/**
 * Groups of letters that one of two close languages has and the other hardly has; `_` is the border of a word. They were
 * found by counting in sentences of both.
 */
const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  'ms id': [
    'stin osti ipo post _bat batu she her_ ame he_ ush lb _beli mus _cru crus w_ bum nci amer aut_ nd_ rev ndia _ch _ro ld _wo jul ikat _lau laut ew_ the kota v_ chi ion_ _indi ei av use _fil le_ ndah ee lup _ve _ame merik rika_ ritak game ksa_ usik _arti ci_ kome entar_ lm_ haj mete unu ts _gun roma _of_ pal_ tle lli io_ cha hai umi luk_ iau _belia ny_ film asir kuas cah_ ys _war ow mar_ jo ina_ iu vo _bl perang ne_ ime shi pis kenal_ itaka jual sla ib_ oment berna asl olus lusi sh_ berka sto',
    '_ki_ aka_ _maka _ia sege egera gera_ bahw hwa_ ahwa rusah atara ingk _dem _seg gera eday dayu aku_ _aku swa taram mpua puan enel usaha _mata apun miki _hal _sud emik kuk _perg matar wann elit harus kema neli _agun agung_ kah_ arus_ ipu ntin atang_ sedi tian_ ustr lmu tasi tih ikia jur saha_ belak sasi_ _kau_ _angg penti berus itia onc gla aram_ puti samp erusa _saya_ arak pene hara rsen ajang rar lakan akang gaw tru_ emam justr ustru elon agah edik ikit _apak apaka pakah rnyat berbe agar gkat_ _meman galk ambu _hal_ hati _tern terny elaka rbeda_ akat_ _langs _gl utih ningk melak elakuk lian gny tru lawan kann arap _tahu_ haa ntua perus',
  ],
  'xh zu': [
    'ii _iin eyo_ ty _kwi ee leyo een _ndi iley _xa ntsi kwaye waye_ ety kolo tl xesha oko_ tye sebe_ mntu okan oku_ rh gqi nee _kuba_ yenzi _kuny fuma _kol nek _kway neka_ _ezi_ kuny emv ikolo emfun olon ants kiley mva _nd tya kq iint funek tsi_ ufune iim ziko weyo utshi ixe _oka _eli_ eem goko_ gca jong kufu wee viw kolo_ ngoko eley wii rhu unyan _iseb uneka _kuku _kwin ced _ke_ konz _nto_ max iink iwey _ise xel qib aci am_ umnt uty onzo tits ifum iind phond ciso avan usel ndin ithil lemf lawul loni_ _lem mfund xhe xho fumana wimi yh zant ugqi vav vany nun nqun qunu _kufu nkon _yay itsha',
    'ukuthi _ukuth uthi_ mu _ngi goba lokh _uma_ okhu_ ning nh noma_ ingi_ oba_ ikhath khathi ngob usho _lokhu kush _noma thola _fut futhi ush okuthi amu aning ahle_ sikha hans khulum ans okho_ zinh munt emu kahle zane ulunk muk zind lokho _lapho giy omu ngane jesu esu_ nsi _kanye angi muv engob ami_ esifa qem embu hlanga hlelo obe kene_ lezi_ gane_ luma daba esif nkulun mkh nhla hes uthol uhlel zingan mkha ifaz faza bese_ uthu unk _kah yisi ayel bu_ ukel nhlo _umu hluka mu_ mphak indab _eg umu bhek esikha _uh baning kutho zins _izing isha ehlu cane geke_ _uj izo luka usuk imo_ ezind kukhon suke umun thul _uhle _ngin _ngis ening bazo gib',
  ],
  'nn nb': [
    '_ei _ein ei_ ein_ eit frå rå_ dei ane_ it_ kkj kje_ _ò òg gar_ la_ _vart leg_ inga gar _sj _ei_ nam amn na_ ka_ vart_ hal ald ingar _vert ande_ aste_ rle kalla ovu vud rar_ vanle nleg_ nore eige _språ eina aren_ råk ya nar_ lar_ _hei alde _vest reg_ alla_ spel hav nord_ ja_ _aus tade ast_ mn_ ølv mei _talet saman _hal kna_ jøl dar aust nord sju nem rika _nam blei jå lda sein ald_ _byen_ _vanl åk_ vest_ heil nna_ ard kvar par_ juk rau _vor _då_ ji pele kvar_ nare_ tlan meri gast aman_ rane_ _eig talet_ onar aden sjø skil _kal sei inna ika_ erik nia rds tta_ ligg_ oma gjev',
    '_en_ _et_ _en lig_ ende_ _ikke ikke_ _et else _væ ere_ fra_ hv inge het _vi_ _de_ res_ være ger_ elig_ du_ ninge ser_ lere lse_ mer_ rbe inger_ nere mmen lge beid ble_ jeg_ gang_ eres hold lser komme samme anne gang sere snin gend het_ _se_ mmer_ _eg _du dere ingen_ tere emm ølge hove rende_ _anne gere_ skol kole tel nes_ gge nnen urs jør _samm gene vår egn _jeg gne ttet_ ute linge oved meg uts hve hele kter_ job lige _gi gjø ets ede_ rlig tate ighe ghet iger barn _dere vend tli llere sjek diss _vå sje nett ges noe satt dage frem idet øs _høy annen øke _vel ier_ nings søk kur _bar',
  ],
  'mk bg': [
    'ја _во_ ој _од_ иј ј_ со_ иот ај ањ ње шт _ј аа ува кој _со ување што нио ваа ање_ оја _шт тој циј _ја_ како дека_ ува_ еј оа_ вој _ов њет ле_ нај ќе јат ња тоа ќи дува _бил ењ _ис јќ кој_ кот_ ека тот_ риј оја_ држ која ај_ жув јо кио ако_ _дека нув дот_ рој лку еко увањет _ќ аа_ ѓа ку_ голе јн нивн рај рот_ ју ниј еду _ова олем тот _ги_ ои_ одр _неко _бид але_ огу гу_ ретс _исто кот _исто_ _ово прв _кои_ бид иле_ вув еку прет вој_ кај врд вај биле вио ѓу лиј ијата нува_ _сит нот_ ања маа ила пс овој мот_',
    'ия я_ _в_ ят _от_ ър съ ще ния въ _щ ят_ ъл бъ ой й_ яв _с_ ъд това тъ ция ът ята ля ня _тов къ пъ ай _са_ ха_ че_ рия са_ щи вър ря ват_ дъ ъс ащ ой_ ща оя ият_ ането_ _че_ _си_ бъл ане _като ълг ръ ция_ бъд що _ня ван ъм ъв ване ато_ лга бя ания ние_ ещ цият той вя бщ ям ъщ жд част ация ение коит оито ъз ощ як предс еля ърв тър ъде_ йн _със ения ария кой тя ая _те_ ях ният ай_ лю ито_ зп яб ежд ъп ян вече_ ей йс тря бва вия стн каза аза нн пър стъ йт едс',
  ],
  'mk sr': [
    '_во_ ите_ от_ ата_ со_ иот_ ува ето_ ните ото_ аа _со ие _е_ ува_ ат_ ката_ ната ниот ваа увањ _го_ _ја_ гол дека тоа кит њет ие_ _ги_ ил_ кои олем ќе скат ќи _ја лен ии вите_ нув јќ ување_ бид ците_ негов инат кот_ кот ден ои_ нот тот_ тот _тој лк оа_ жув кио ое вата_ дува _кој_ јата _гол дот_ _бил_ вув тел _но_ ден_ увањет _ќ ние аа_ ѓа _ед иск _така нивн скит вото тст ител рува лку_ ногу ретс овите тој_ ел_ исто_ ции јот едув сел лот сите ѓу иен орад нува_ нот_ маа вна _нег окол еден _овој мот_ _споре сос олк ното еѓ лен_ лени кото вт еќ',
    '_је је_ _у_ _су_ ије ао_ их_ ке_ ом_ ји јед ју_ ећ ћи _са_ ог_ као оје ио_ ће који ље ним није ну_ са_ ђе ају ном_ них њи уј им_ оји_ ељ ним_ дњ ком_ ске _њ ника_ ља ине_ алаз лази _нала ђу ног_ ћа ућ једн лаз ији љен ној еђ ију ве_ њо ољ већ ећи ких m_ ког_ ким _ње ађ ће_ ић анов ике ву_ био_ ује_ _из_ аљ ове_ ице ду_ дан љу ре_ ама_ вљ аје ођ ара_ _ниј _њи ској њег ског ују љи стал једи тара_ ђен ље_ ћ_ њен рају новни које _али шћ ован исин _виси њих етара _метар _s_ ћа_ сељ тано _мог јим иса',
  ],
  'sr hr': [
    'deca_ _dece_ _deci_ _decu_ sled_ _sled posled nedelj _reč _reči_ gde_ _ovde_ _uvek_ _pre_ _posle_ _vreme_ _mest ceo_ _cel _lep _beo_ _svet_ svetsk čovek _dve_ _obe_ _lek _mlek devoj _delo _del _deo_ videl vide _hte žele vole rešen reša uspe menj promen primen _primer izmen _šta_ _ko_ niko_ hiljad takođe _da_li_ opšt sopstv bezbed fudbal pozori hleb hemij istorij evrop januar februar mart_ april avgust embar_ embra_ obar_ obra_ milion proce ovan isan utica saradn saopšt porodic _sajt zahtev pobed predsed sedi mesec _leto _leta rek levo nemač ponedelj sreda_ proleć smer mera_ mere_ zvezd _vek prestonic veoma_ stanovnik biblio muzi sedmic privred univerz hvala_ srps srbi',
    'djec sljede posljed tjed riječ gdje_ ovdje_ uvijek_ _prije_ poslije_ vrijem mjest cijel lijep bijel svijet čovje _dvije_ _obje_ lijek mlij djevoj djel _dio_ vidje htje želje voljel rješ uspje mijenj promjen primjen primjer izmjen _što_ tko_ tisuć također opć sigur nogomet kazali kruh kemij povijes europ siječ veljač ožuj travnj svib lipnj srpnj kolovoz rujn listopad studen prosin milijun posto_ irati_ irano iran_ utjec suradn priop obitelj stranic zahtjev pobjed predsjed sjed mjesec ljet rijek lijev njemač ponedjelj srijed proljeć smjer mjer zvijezd stolje glavnog vrlo_ osob knjižnic glazb tjedan gospodar sveučili tijekom_ tvrtk hrvat zagreb učiniti _biti_ vlak_ zrak juč',
  ],
  'af nl': [
    'die_ _die _nie_ y_ lik _ek word_ ull sk _as_ wat_ vir _wat _ons _se_ ou_ rdie_ _sk lik_ _hul _by _my_ ek_ ons_ ierdi _’ jy ik_ _n_ _hy hy_ ir_ _se ê_ _oor_ wy maak_ _sy_ deur yd ’n gter gte ees_ _sal sal_ jou_ kli ’n _oor by_ erdie sê _jou _sa hierd like ska ry ag_ ike_ ji eur_ rsk self _deu _wees wees_ soos kry egte aie_ yk elik mense_ bai nou rik esk skr agte _daar_ kom_ _tee sie_ ese esi yf yd_ skap il_ oos_ ty os_ we_ gs_ ander_ _sê _sel iks kie _moet_ _maak _god_ _mens eili ewe_ hom_ êr wys so_ _bly asie gesk sek sien alm saa laat_ sko',
    'ij _de_ _z zi ht den_ ch _een_ jn ij_ ze jk gen_ sch ez zo rden ren_ ec hij rij jd bij lij ten_ _ze door ic tij hte acht werd ze_ ac men_ _als kt_ st_ erd_ _er_ ven ngen_ ht_ als_ echt nen_ len_ dez tie_ ich ct jk_ ingen nden_ _sc erden _naar eze_ schi orden even _ze_ eeft eren_ oc za _ove hter igen icht worde zic _tij jke heef eft_ esc eerd_ egen _niet_ zen jd_ ce co over werde ische aren pen_ laats zie sen_ jde gt_ ordt zel _had ci ouw ov che ctie nnen scho naar_ gd con rz rsc schr llen_ dt_ che_ lic bouw achte rijk eige acht_ wij',
  ],
  'ca es': [
    'ó_ _i_ ls_ ió els _l’ ació_ ts t_ nt_ d’ ’a at_ ns_ és _per_ ss ons_ als_ ats tat ix à_ tz d’a rà ’e l’a mb_ aquest ions nts ques ament_ _les_ dels ass lit ssi _é ess _aques èn é_ rs_ m_ ant_ any eu_ mé ei ors_ alit ’i itat_ ny tats rà_ ’u cte _tot ’es ón ot_ seu com_ litat sse ies_ ça _amb acions ’h cte_ em_ uè ins_ tè arà rò ò_ ltr ix_ xe ecte ments àr tiu ll_ ri_ è_ ject rvei serve s’ ut_ sió uest_ cció aix _qua bé tació ssa sso tzar tge cess hi_ ilit it_ dors ’ac ots só its mació d’in d’e tà',
    '_y_ cin_ do_ as_ los_ in_ _los acin las_ con_ _ms _las to_ ado_ ms_ ro_ lo_ por_ dad _para_ nte_ _se_ nto_ das_ ido su_ mo_ co_ ente ione ndo_ _cua ad_ sin_ ido_ tos_ uy mos_ _tie nto ios ados _tod ch dos_ tas _cu ier ario _por pue uie ias uch idos ales_ io_ tien ticia ento ando_ ste_ hac rio_ iene icias ede ay mente_ onad muc ivo ej ero ano nue nido ntes_ ale tro_ nos_ adas_ nadas ante _como como_ asi has nid enid ico ejo sto_ go_ ones_ idade iz encia _lo_ ene_ qu_ baj notic otici ras_ sto mas_ tado cue rte_ ued ne_ toda mien onten hora_ edes raba so_ _todo',
  ],
  'mr hi': [
    'च्य ाच _त् ्या आह ल्या ्या_ ांन ण्य याच यां त्या ची_ ून_ आण ात_ णि_ ाची यांच ंच् ाच् ल्या_ ंनी _या चा_ चे_ _अस त्यां झाल यात_ _केल लेल _यां ंच _म् णा नाह ाचे हे_ ाही ंना ्हण ासा णे ळे ळा ेल् च_ ण्याच घे ेच ्यात ाळ ीच ाठी याची करण ील_ ळ_ असत ्यांच तील यांच् तात_ म्ह णार ाचा_ िती ्यांन साठ ुळ _ते_ _झा ्ये_ _या_ ावर वर_ ंचा_ याच् ळी रण् ाण ्यास ध्ये ांचा ाच_ व्ह ेव मध असे याम काह _हे_ _आल _तर_ ेले याचे सून तीच ातील_ _यांन त्याच ेण ेत_ ण्यात यासा यांना अश सत ाला_ ठी_ झाले ीच् _यांच िळ याव _ते ारा ांची हेत_',
    'ें_ है _में _के_ ै_ ं_ ों_ ैं _को_ _से_ _पर_ ए_ इस _भी_ और _की _ने_ _औ की_ ीं_ कि_ िए_ _का_ इस_ _था_ ह_ _थ यों हीं _उस _वह _नह _रह यह अपन नही _हो_ कर_ ाए करन लिए सक कह उन ई_ ड़ रने_ हु ब_ िया_ _लग _थी _कर_ जो_ वह_ _वाल रों ति_ _किय किया गय दिय ुए ाओ साथ नों_ ुछ रहे पने_ _ले आ_ _क्य मैं पहल _लि िन_ ़_ कहा_ अपने ओं थी_ वाल _लेक जाए सकत _आप_ उसक बाद सके छ_ गा_ हले _थे_ ियो गे_ ंगे_ _उस_ ेकि किन_ _हम कोई ाए_ होग _ये_ _तक_ फि मिल _मै ाथ_ लों एं ोई_ हां उनक _वाले सब जिस अपनी उन् लोग',
  ],
};
/** Groups of letters that two close languages share and others of their script hardly have, or that one language has. */
const SHARED: Readonly<Record<string, string>> = {
  'xh zu':
    '_uku thi_ uthi kuth uth athi_ _ukub _ngok akh _ukut ukuth khul uph ebenz goku aph _ezi ukh _ngo hulu _kwi kub _izi gq _nge ukuba kuq uba_ uq khu kho_ enz leyo pha onke_ nye_ kho ezin kuph seben kwe apha odwa okuth gc hath akhu hulu_ anye_ ikh benzi sikh ayo_ _uth wenz okh sith kodw iley akhe gaph _ezin _iin _ngi eyo_ qa phaka khe_ khona kha aban kath akho noku theth ngc kuhl _futh futhi dlal qh _isi bh enzi kakh elw uphe uqa ngq _imi enzis wakh waz _izin ithi_ njeng kukho ikha uhl yoku wenza _ngen kwen kuy ulu_ hona_ gqi koku ngoba qo huba ndaw abant hluk _ii ngab athu kunye ukuz ikhu okhu waye bantu_ enza_ unye kuf emv sihl ihl kuz qal zing _zok zith hathi_ khat kanye khe apho afund thand kwazi _kany yenz lekil zwe_ ndle kiley _aph amap',
  'ms id':
    '_yang_ ngan_ ngg ah_ denga ntuk lah_ _untu _itu_ _dan_ akan_ _deng _dari engan dak_ ngga tidak _meng alah_ _ber alam_ ingg tuk_ orang_ dapa ngk oleh _dalam _tida rang_ _pada_ pun_ elah dari_ _merek mereka uh_ _akan_ angan_ jadi _adal dalah _mem _ini_ _dap _peng leh_ bagai _ada gka ereka_ pada _orang annya_ ukan_ apat_ juga_ _teta tapi_ agai_ tetap angka sebag njad _ada_ rnya tkan_ _tela _atau _menga angg atan_ ebih engg udah arena nggi ngga_ karen _kem tingg berb pat_ nakan_ _bers iap ahan_ _menja bah bahw etapi atkan lain_ _juga _maka_ elum kepa kemud _sela _pem seper banya hingg _memi adala _memb dah_ epert membu mpat_ emudia mudian udian_ nggu ebaga sebu perti_ _ters terse tnya hkan_ buat_ tang_ jalan ikan_ nggal anyak_ gkat dua_ _penga inya_ erja ngki batu_ mbang seor eora _menu _bera ahwa_ bih_ _jika gunak unaka sebut mengh epada khir _satu_ berk',
  sw: 'katika _katik atika_ kuwa_ _kwa_ _kama_ wenye _kuwa_ baad kutok utoka ikuw _hii_ vyo isha _cha_ yake aji_ _nyin _nchi ngine lugh ugha moja nisha _zina kwenye _wali fuat wanz zaid aidi_ weza chini ivy akini _inay sabab _hadi_ _kuto eneo ambay _laki lakin _hata_ vya_ ubw ufua babu_ nying _vya gha_ watu _kweny _amba fanya husu_ tokan okana inayo ishwa _pia_ fany anish huo_ alikuw waid kawai nawez yote zungu gine_ yingi_ _wana _nchin _mji umia_ shaj haji _hiy',
  eu: '_eta_ ntz rria tze _zen_ zen_ _bat_ _izan_ lerr rtz _udale antz daler tzi zuen ean_ tzen_ roko_ imalia atze etan_ genero tzek _dago zeko ldea _ere_ atz eroko erri nerok uzt tzia ziren rria_ nimali iak_ _zire itze ekin_ ltz iaren dute iako malia_ _esk iren_ erri_ _ditu teko_ tx _zue rteko _egi rri_ ntze ntza rantzi zute lerria oak_ _egin koa _bain tzea agoe goen zko_ _horr horre rtso etako earen _hone _egit tuen_ _ondor dean _urt eskua',
  ga: 'ío éi _agus agus_ ái éa _an_ _gc _bh aí_ eann aí dh_ áin éir aoi aigh íoc each bh_ iú aío fh hái eacht féi _é_ éin _tá_ úi chta éan bhí ocht eadh héa _ach_ mh_ río hair áil air_ áir _éi aithe aile_ _ag_ _chu íon adh _nua _chui aidh_ ói ithe_ irea _mar_ áid chta_ amh_ bhai acha_ igh_ onn_ chun_ éid iúi _gco tear_ _leis_ mhai omh idh éar bhf eá tá_ úil réi héi',
  eo: '_kaj_ aŭ _ĉ ŭ_ ĉi _estas ĝi ojn_ _kiu estis_ _estis estas_ toj_ _ĝ iĝ _ŝ _tiu ĝo ĉe kaŭ iuj iaj_ _pli_ _kiu_ ĝis kiel_ aĵ _aŭ ĵo perant ntoj_ ĉiu taj_ ajn_ _sed_ ĝa doj_ lingv loj_ roj_ speran uj_ iĝi eranto _esper ĉi_ taŭ _anka espera moj_ havas_ ĝi_ liaj raŭ istoj_ omoj ŝi _tio_ igis ranto_ ioj_ ŝt ĉa aĝ _oni_ ŭr ŝa kiuj ebla _ol_ _kiam kiam_ gvo _kun_ _kiel _jam_ plej ĵoj ĝe parol',
  mn: 'ээ уу ийн_ үү ээ_ _нь_ эн_ өө хэ эр_ нэ уул хү _бай ийг э_ лэ ээр эг_ гүй йг эг гээ эж_ энэ гаа дээ эд_ дэ эх_ йг_ ууд эд нэ_ сэн_ үй_ эр гэж эх ыг_ байг аа_ _нэ байн хө гийн_ ө_ лж_ хий _боло _юм сэ ээд эрэ эл эл_ йга гаа_ аар сан_ даа өөр юм_ йх _дэ эсэ _дээ үүл лаа аан оо _эн өн_ өг тэй үү_ гө лээ нө өд эдэ лө уу_ олон_ лийн аг_ дэг онго нэг _өө өр_ аас_ гуу ээс оо_ дө дээ_ хүн өв ууд_',
};

interface Groups {
  readonly first: readonly string[];
  readonly second: readonly string[];
}

const splitGroups = (groups: string): readonly string[] => groups.split(' ').map((group) => group.replaceAll('_', ' '));
const GROUPS = new Map<string, Groups>(
  Object.entries(PAIRS).map(([pair, [first, second]]) => [
    pair,
    { first: splitGroups(first), second: splitGroups(second) },
  ]),
);
const SHARED_GROUPS = new Map(Object.entries(SHARED).map(([languages, groups]) => [languages, splitGroups(groups)]));

type ClosePair = 'ms id' | 'xh zu' | 'nn nb' | 'mk bg' | 'mk sr' | 'sr hr' | 'af nl' | 'ca es' | 'mr hi';

/** A text as the groups are looked for in it. */
export const toLetters = (text: string): string => ` ${text.toLowerCase().replace(/[^\p{L}\p{M}’]+/gu, ' ')} `;

const countGroups = (letters: string, groups: readonly string[]): number =>
  groups.reduce((count, group) => count + Number(letters.includes(group)), 0);

/** Returns how many more groups of the first language than of the second the text has. */
function compareGroups(letters: string, pair: ClosePair): number {
  const { first, second } = GROUPS.get(pair)!;
  return countGroups(letters, first) - countGroups(letters, second);
}

/** Returns how many groups of the languages the text has. */
export const countShared = (letters: string, languages: 'xh zu' | 'ms id' | 'mn' | 'sw' | 'eu' | 'ga' | 'eo'): number =>
  countGroups(letters, SHARED_GROUPS.get(languages)!);

/** Languages that are told apart by their own groups of letters, once it is certain that the text is in one of the two. */
const CLOSE_PAIRS: ReadonlyMap<string, ClosePair> = new Map([
  ['ms', 'ms id'],
  ['id', 'ms id'],
  ['xh', 'xh zu'],
  ['zu', 'xh zu'],
  ['nn', 'nn nb'],
  ['nb', 'nn nb'],
  ['hr', 'sr hr'],
  ['af', 'af nl'],
  ['nl', 'af nl'],
  ['ca', 'ca es'],
]);
/** Nothing else tells these apart. */
const INSEPARABLE: ReadonlySet<ClosePair> = new Set(['ms id', 'xh zu', 'nn nb']);
/** How many more groups of one language than of the other a text needs, where it is not two. */
const MIN_DIFFERENCES: ReadonlyMap<ClosePair, number> = new Map([
  ['nn nb', 1],
  ['xh zu', 1],
  ['mk bg', 1],
  ['mk sr', 1],
]);

/** Returns the language of the pair that the text is in, undefined if the difference is too small to say. */
export function tellApart(sample: string, pair: ClosePair): string | undefined {
  const difference = compareGroups(toLetters(sample), pair);
  if (Math.abs(difference) < (MIN_DIFFERENCES.get(pair) ?? 2)) return undefined;
  return pair.slice(...(difference > 0 ? [0, 2] : [3]));
}

/** Returns the language, or the close one that the text is in instead; undefined if it may be either. */
export function tellFromClose(sample: string, language: string): string | undefined {
  const pair = CLOSE_PAIRS.get(language);
  if (pair === undefined) return language;
  return tellApart(sample, pair) ?? (INSEPARABLE.has(pair) ? undefined : language);
}

export const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Whether at least one in so many letters of the script is one of these. One that is rarer may belong to a foreign name. */
export type HasOften = (letters: RegExp, oneIn: number) => boolean;

/** Characters of Japanese that neither form of Chinese has. */
const JAPANESE_FORMS =
  /[両乗亜仏仮価働処円剣剤労勧勲単厳収圏囲図団売変塁塩増壊壱奨姉実専対巣巻帯帰広庁弾従徳応恵悪悩戦戻払抜択拝拡挙挿捜掲揺摂撃斉斎暁暦曽枠栄桜検楽様権歓歩歯歳毎気済渋渓渇満滝瀬焼犠獣産発県砕穏窓竜粋粛経絵継続総緑縁縄繊聴脳臓荘薬蔵覚覧観訳読譲賛転軽込辺遅郷酔醸釈鉄鉱銭録錬閲関闘陥険隠雑霊頼顔顕駅騒験髪鶏黒黙齢効児渉舎浄沢畑咲辻駆]/g;

/** In so many characters of a Japanese text, there is at least one kana or one form that Chinese has not. */
const CHARACTERS_PER_KANA = 5;
const CHARACTERS_PER_FORM = 25;

/** A third of a Japanese text is kana; headlines may have none. A Chinese text has neither, except in names. */
export const isJapanese = (sample: string, kana: number, han: number): boolean =>
  kana * CHARACTERS_PER_KANA + count(sample, JAPANESE_FORMS) * CHARACTERS_PER_FORM >= kana + han;

/** Hebrew with all its vowels has many that Yiddish has not. */
export function detectHebrewLanguage(_: string, hasOften: HasOften): string {
  if (hasOften(/[\u05b0-\u05b3\u05b5\u05b6\u05b9\u05bb]/g, 20)) return 'he';
  return hasOften(/[\u05f0-\u05f2]|אַ|אָ|(?<!\p{L})(?:און|איז|פון|די|דער|נישט|מיט)(?!\p{L})/gu, 40) ? 'yi' : 'he';
}

const ARABIC_SIGNS = /[ةأإ]|(?<!\p{L})(?:و?ال|بال|لل)\p{L}{2}|(?<!\p{L})(?:في|فی|من|على|علی|إلى)(?!\p{L})/gu;
const PERSIAN_SIGNS = /[پچژگ]|(?<!\p{L})(?:از|به|[کك]ه|را|ا[یي]ن|است|م[یي]|برا[یي]|ها[یي]?|با|در|شد|و|آن)(?!\p{L})/gu;

export function detectArabicLanguage(sample: string, hasOften: HasOften): string {
  if (hasOften(/[ۇۈۋڭ]/g, 100)) return 'ug';
  if (hasOften(/[ټډړښۍځڅ]/g, 150)) return 'ps';
  if (hasOften(/[ڪڳٻڄ]/g, 150)) return 'sd';
  if (hasOften(/[ێۆڵڕ]/g, 150)) return 'ckb';
  if (hasOften(/[ٹڈڑےہں]/g, 80)) return 'ur';
  // Each is also typed with letters of the other.
  const lead = count(sample, ARABIC_SIGNS) - count(sample, PERSIAN_SIGNS);
  return lead < 0 || (lead === 0 && /[کی]/.test(sample)) ? 'fa' : 'ar';
}
