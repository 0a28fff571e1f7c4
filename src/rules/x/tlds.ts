/** Top-level domains that make a bare name a link: every country's, the generic ones in use, and some in other scripts. */
const COUNTRIES =
  'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo bq br bs bt bv bw by bz ca cc cd cf ' +
  'cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et eu fi fj fk fm fo fr ga gb gd ge gf ' +
  'gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km ' +
  'kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz ' +
  'na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh ' +
  'si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tp tr tt tv tw tz ua ug uk us uy uz va vc ' +
  've vg vi vn vu wf ws ye yt za zm zw';

const GENERIC =
  'com org net edu gov mil int arpa aero asia biz cat coop info jobs mobi museum name post pro tel travel xxx ' +
  'abogado academy accountant accountants actor adult agency airforce apartments app archi army art associates attorney ' +
  'auction audio auto autos baby band bank bar bargains bbc beauty beer berlin best bet bible bid bike bingo bio black blog ' +
  'blue boats boo book boston bot boutique box broker build builders business buy buzz cab cafe cam camera camp capital car ' +
  'cards care career careers cars casa cash casino catering center ceo chat cheap christmas church city claims cleaning click ' +
  'clinic clothing cloud club coach codes coffee college cologne community company computer condos construction consulting ' +
  'contact contractors cooking cool country coupons courses credit creditcard cricket cruises cymru dad dance date dating day ' +
  'deals degree delivery democrat dental dentist desi design dev diamonds diet digital direct directory discount doctor dog ' +
  'domains download earth eco education email energy engineer engineering enterprises equipment esq estate eus events exchange ' +
  'expert exposed express fail faith family fan fans farm fashion film finance financial fish fishing fit fitness flights ' +
  'florist flowers fly foo food football forex forsale forum foundation frl fun fund furniture futbol fyi gal gallery game ' +
  'games garden gay gent gift gifts gives glass global gmail gold golf goo google gop graphics gratis green gripe group guide ' +
  'guitars guru hair hamburg haus health healthcare help hiphop hiv hockey holdings holiday homes horse hospital host hosting ' +
  'hot house how immo immobilien inc industries ing ink institute insurance insure international investments irish ist istanbul ' +
  'jetzt jewelry juegos kaufen kids kim kitchen kiwi koeln krd land lat law lawyer lease legal lgbt life lighting limited limo ' +
  'link live llc loan loans lol london lotto love ltd ltda luxe luxury maison management map market marketing markets mba ' +
  'media melbourne meme memorial men menu miami mini moda moe mom money monster mortgage moscow motorcycles mov movie music ' +
  'nagoya navy network new news ngo ninja now nrw nyc okinawa one ong online onl ooo osaka page paris partners parts party pet ' +
  'pharmacy phd phone photo photography photos physio pics pictures pink pizza place plumbing plus poker porn press prod ' +
  'productions prof promo properties property pub quebec quest racing realestate realty recipes red rehab reise reisen rent ' +
  'rentals repair report republican rest restaurant review reviews rich rip rocks rodeo rsvp rugby ruhr run ryukyu saarland ' +
  'sale salon sarl sbs scholarships school schule science scot security services sex sexy shiksha shoes shop shopping show ' +
  'singles site ski skin soccer social software solar solutions soy spa space sport sports spot srl storage store stream ' +
  'studio study style sucks supplies supply support surf surgery swiss sydney systems taipei tattoo tax taxi team tech ' +
  'technology tennis theater theatre tickets tienda tips tires tirol today tokyo tools top tours town toys trade trading ' +
  'training tube university uno vacations vegas ventures versicherung vet viajes video villas vin vip vision vlaanderen vodka ' +
  'vote voting voto voyage wales wang watch watches webcam website wed wedding whoswho wien wiki win wine work works world wtf ' +
  'xin xyz yachts yoga yokohama you youtube zip zone';

const OTHER_SCRIPTS =
  'рф бел бг мкд мон срб укр қаз дети ком москва онлайн орг рус сайт ею ελ ευ հայ გე ישראל ' +
  'قطر مصر سورية تونس عمان عراق ایران پاکستان السعودية الاردن المغرب امارات فلسطين موقع شبكة بازار كوم ' +
  'भारत संगठन नेट कॉम বাংলা ভারত ਭਾਰਤ ભારત இந்தியா இலங்கை சிங்கப்பூர் భారత్ ලංකා ไทย คอม ລາວ ' +
  '中国 中國 中文网 中信 公司 公益 商城 商店 商标 在线 我爱你 手机 政务 政府 新加坡 新闻 时尚 机构 游戏 移动 组织机构 网址 网店 网站 网络 ' +
  '香港 澳门 澳門 台湾 台灣 世界 企业 佛山 信息 健康 八卦 娱乐 广东 购物 集团 餐厅 みんな コム グーグル ストア セール ファッション ポイント クラウド ' +
  '한국 삼성 닷넷 닷컴';

const KNOWN: ReadonlySet<string> = new Set(`${COUNTRIES} ${GENERIC} ${OTHER_SCRIPTS}`.split(' '));
const LONGEST = Math.max(...[...KNOWN].map((tld) => tld.length));

/**
 * The end of a top-level domain that starts here, or −1. What follows it may be anything but an ASCII letter or digit,
 * `@`, `+` and `-`: links stand between Chinese or Japanese characters without blanks.
 */
export function endOfTld(text: string, start: number): number {
  if (text.slice(start, start + 4).toLowerCase() === 'xn--') {
    let end = start + 4;
    while (/[-0-9a-z]/i.test(text.charAt(end))) end++;
    return end > start + 4 ? end : -1;
  }
  for (let length = Math.min(LONGEST, text.length - start); length > 1; length--) {
    const end = start + length;
    if (!/^[0-9a-z@+-]/i.test(text.charAt(end)) && KNOWN.has(text.slice(start, end).toLowerCase())) return end;
  }
  return -1;
}
