/** Pages of the demo feed. Sites, firms and events are invented. */
export interface DemoPage {
  /** Host and path. */
  readonly at: string;
  readonly title: string;
  readonly added: string;
  readonly removed?: string;
  readonly categories: readonly string[];
  readonly types: readonly string[];
  /** English when left out. */
  readonly language?: string;
  readonly rating: number;
}

const NEWS = ['/Article', '/Article/News_Update'];
const BLOG = ['/Article', '/Article/Thought_Leadership'];
const PRODUCT = ['/Landing_Page', '/Landing_Page/Product_Page'];

export const DEMO_PAGES: readonly DemoPage[] = [
  {
    at: 'daily.example/hesper-eruption',
    title: 'Mount Hesper volcano erupts after forty quiet years',
    added:
      'Lava flowed down the eastern slope of Mount Hesper on Sunday as the volcano erupted for the first time in four decades.',
    categories: ['/News', '/Science/Earth_Sciences'],
    types: NEWS,
    rating: 78,
  },
  {
    at: 'orbitalworks.example/news/kestrel-4',
    title: 'Kestrel-4 reaches orbit',
    added:
      'The launch placed nine satellites into orbit. Orbital Works plans a second launch before the end of the year.',
    categories: ['/Science/Astronomy'],
    types: NEWS,
    rating: 55,
  },
  {
    at: 'status.northline.example',
    title: 'Northline service status',
    removed: 'All systems operational.',
    added: 'Major outage: broadband in Eastport is down. Engineers are investigating a damaged fibre cable.',
    categories: ['/Internet_and_Telecom'],
    types: ['/Core_Page/Services_Page'],
    rating: 41,
  },
  {
    at: 'code.example/tinyqueue/releases/2.0',
    title: 'tinyqueue 2.0 release notes',
    added:
      'Version 2.0 removes every dependency, halves the memory per queue and drops support for the old wire format.',
    categories: ['/Computers_and_Electronics/Programming'],
    types: ['/Document/Manual'],
    rating: 63,
  },
  {
    at: 'lumen.example/arc',
    title: 'Lumen Arc headphones',
    removed: 'Price: 179',
    added: 'Price: 149. Ships in two days. Forty hours of battery, repairable at home.',
    categories: ['/Computers_and_Electronics/Consumer_Electronics'],
    types: PRODUCT,
    rating: 47,
  },
  {
    at: 'sport.example/harbor-kestrel',
    title: 'Harbor FC beat Kestrel United 3-1 to reach the semi-final',
    added: 'Ines Okoro scored a hat-trick as Harbor FC won at home and reached the semi-final of the cup.',
    categories: ['/Sports/Team_Sports/Soccer'],
    types: NEWS,
    rating: 71,
  },
  {
    at: 'daily.example/storm-north',
    title: 'Storm warning for the northern coast',
    added: 'Gusts of up to 110 km/h and heavy rain are expected overnight. Ferries are cancelled until noon.',
    categories: ['/News/Weather'],
    types: NEWS,
    rating: 78,
  },
  {
    at: 'ledger.example/brixton-outlook',
    title: 'Brixton Chips lifts outlook as orders grow',
    added: 'Brixton Chips raised its revenue forecast for the year after orders for automotive chips grew by a third.',
    categories: ['/News/Business_News', '/Finance/Investing'],
    types: NEWS,
    rating: 69,
  },
  {
    at: 'agentsmith.example/blog/ask-first',
    title: 'Agents that ask first',
    added:
      'In our study, AI agents that asked one question before acting made half as many mistakes as those that did not.',
    categories: ['/Computers_and_Electronics', '/Science/Computer_Science'],
    types: BLOG,
    rating: 38,
  },
  {
    at: 'ledger.example/northline-fenbridge',
    title: 'Northline in talks to acquire Fenbridge Telecom',
    added:
      'Northline is in talks over the acquisition of the regional network of Fenbridge Telecom, two people familiar with the matter said.',
    categories: ['/News/Business_News'],
    types: NEWS,
    rating: 69,
  },
  {
    at: 'velox.example/press/eastport',
    title: 'Velox to close Eastport plant',
    added: 'Velox will close its Eastport plant in spring. About 200 jobs are affected by the layoffs.',
    categories: ['/Business_and_Industrial'],
    types: ['/Article/News_Update'],
    rating: 52,
  },
  {
    at: 'lumen.example/recall',
    title: 'Safety recall: charging cases',
    added:
      'Charging cases made in March may overheat. Customers should stop using them and request a free replacement.',
    categories: ['/Computers_and_Electronics/Consumer_Electronics'],
    types: ['/Article/News_Update'],
    rating: 47,
  },
  {
    at: 'civicdata.example/air',
    title: 'Ten years of air quality, open to all',
    added: 'The data set covers forty stations with hourly readings of fine dust, ozone and nitrogen dioxide.',
    categories: ['/Reference'],
    types: BLOG,
    rating: 33,
  },
  {
    at: 'northline.example/pricing',
    title: 'Northline pricing',
    removed: 'Home 100: 29 a month',
    added: 'Home 100: 32 a month. Home 500: 44 a month. Prices change on the first of next month.',
    categories: ['/Internet_and_Telecom'],
    types: ['/Landing_Page/Pricing_Page'],
    rating: 41,
  },
  {
    at: 'code.example/advisories/tq-2026-01',
    title: 'Security advisory: denial of service in tinyqueue',
    added:
      'A crafted message can crash servers that run tinyqueue before 1.8. Upgrade to 1.8 or later. This vulnerability is rated high.',
    categories: ['/Computers_and_Electronics/Computer_Security'],
    types: ['/Document/Manual'],
    rating: 63,
  },
  {
    at: 'tagblatt.example/hesper',
    title: 'Vulkan Hesper bricht nach vierzig Jahren aus',
    added: 'Am Sonntag floss Lava über die Ostflanke des Hesper. Zwei Dörfer wurden geräumt.',
    categories: ['/News'],
    types: NEWS,
    language: 'de',
    rating: 60,
  },
  {
    at: 'journal.example/tempete',
    title: 'Alerte tempête sur la côte nord',
    added: 'Des rafales de 110 km/h sont attendues cette nuit. Les ferries restent à quai.',
    categories: ['/News/Weather'],
    types: NEWS,
    language: 'fr',
    rating: 58,
  },
  {
    at: 'diario.example/kestrel',
    title: 'El cohete Kestrel-4 alcanza la órbita',
    added: 'El lanzamiento puso en órbita nueve satélites pequeños de cinco países.',
    categories: ['/Science/Astronomy'],
    types: NEWS,
    language: 'es',
    rating: 57,
  },
  {
    at: 'daily.example/rates',
    title: 'Central bank keeps interest rates unchanged',
    added: 'The central bank left its main interest rate at 3.25 percent and hinted at a cut if growth weakens.',
    categories: ['/Finance/Banking', '/News/Business_News'],
    types: NEWS,
    rating: 78,
  },
  {
    at: 'trails.example/tarn-pass',
    title: 'Tarn Pass: road conditions',
    removed: 'Open to all traffic.',
    added: 'Closed above 1,200 m because of snow. Winter tyres are required on the lower section.',
    categories: ['/Travel_and_Transportation'],
    types: ['/Core_Page/Services_Page'],
    rating: 29,
  },
  {
    at: 'agentsmith.example/board',
    title: 'Agent benchmark leaderboard',
    removed: '380 tasks',
    added: '400 tasks. New entries this week: three open source agents and one that declined to answer.',
    categories: ['/Science/Computer_Science'],
    types: ['/Document/Manual'],
    rating: 38,
  },
  {
    at: 'harborfc.example/transfers/brandt',
    title: 'Jonas Brandt signs for Harbor FC',
    added: 'The goalkeeper joins on a three-year contract and will wear number one.',
    categories: ['/Sports/Team_Sports/Soccer'],
    types: NEWS,
    rating: 49,
  },
  {
    at: 'biscuit.example/recipes/cinnamon-knots',
    title: 'Cinnamon knots, the bakery way',
    added:
      'Rest the dough overnight, fold it twice with butter and cinnamon, and bake at 200 degrees for twelve minutes.',
    categories: ['/Food_and_Drink/Cooking_and_Recipes'],
    types: BLOG,
    rating: 24,
  },
  {
    at: 'daily.example/hesper-evacuation',
    title: 'Two villages evacuated below Mount Hesper',
    added:
      'About 1,400 people left their homes after tremors under the volcano doubled overnight. Shelters are open in Eastport.',
    categories: ['/News'],
    types: NEWS,
    rating: 78,
  },
  {
    at: 'daily.example/earthquake-hesper',
    title: 'Earthquake of magnitude 4.1 felt near Hesper',
    added: 'The earthquake struck at 06:12. Nobody was hurt, and trains are running normally.',
    categories: ['/News', '/Science/Earth_Sciences'],
    types: NEWS,
    rating: 78,
  },
  {
    at: 'orbitalworks.example/open-source',
    title: 'We are opening our flight software',
    added: 'The guidance code of Kestrel will be released as open source under a permissive licence next month.',
    categories: ['/Computers_and_Electronics/Programming', '/Science/Astronomy'],
    types: BLOG,
    rating: 55,
  },
  {
    at: 'careers.lumen.example/firmware-engineer',
    title: 'Job: firmware engineer, audio',
    added: 'We are looking for a firmware engineer who has shipped Bluetooth audio. Remote within two time zones.',
    categories: ['/Jobs_and_Education/Jobs'],
    types: ['/Listing', '/Listing/Job'],
    rating: 44,
  },
  {
    at: 'ledger.example/velox-shares',
    title: 'Velox shares fall 11 percent',
    added: 'Shares of the bike maker fell after it announced layoffs and the closing of its Eastport plant.',
    categories: ['/Finance/Investing', '/News/Business_News'],
    types: NEWS,
    rating: 69,
  },
  {
    at: 'health.example/heatwave',
    title: 'How to stay safe in a heatwave',
    added: 'Drink water often, close the shutters by day, and check on neighbours who live alone.',
    categories: ['/Health'],
    types: ['/Article', '/Article/Tutorial_or_Guide'],
    rating: 66,
  },
  {
    at: 'city.example/council/bus-14',
    title: 'Council votes for more buses on line 14',
    added: 'From spring the 14 will run every eight minutes at peak times. Delays had affected 38 percent of days.',
    categories: ['/News/Local_News', '/Law_and_Government'],
    types: NEWS,
    rating: 40,
  },
  {
    at: 'reviews.example/lumen-arc',
    title: 'Lumen Arc review: the screwdriver is included',
    added:
      'The Arc sounds warm, lasts a week of commutes and can be opened with one screw type. Verdict: four and a half stars.',
    categories: ['/Computers_and_Electronics/Consumer_Electronics'],
    types: ['/Article', '/Article/Product_or_Brand_Review'],
    rating: 61,
  },
  {
    at: 'agentsmith.example/blog/injection',
    title: 'A web page tried to rob our agent',
    added:
      'The page carried hidden text with instructions. Our agent treated it as data and filed a report. Here is how we test for prompt injection.',
    categories: ['/Computers_and_Electronics/Computer_Security'],
    types: BLOG,
    rating: 38,
  },
  {
    at: 'startups.example/fieldnote',
    title: 'Fieldnote raises 12 million to map soil',
    added:
      'The seed funding was led by Greenlark. Fieldnote measures soil carbon from tractors and publishes the maps as open data.',
    categories: ['/News/Business_News'],
    types: NEWS,
    rating: 59,
  },
  {
    at: 'films.example/awards',
    title: 'The Lighthouse Keeper wins best picture',
    added: 'The quiet drama about a keeper and a storm took four awards, among them best picture and best score.',
    categories: ['/Arts_and_Entertainment/Movies'],
    types: NEWS,
    rating: 72,
  },
  {
    at: 'docs.greenlark.example/api/changelog',
    title: 'API changelog',
    added: 'Deprecated: the v1 export endpoint will be removed in six months. Use the streaming export instead.',
    categories: ['/Computers_and_Electronics/Programming'],
    types: ['/Document/Manual'],
    rating: 35,
  },
  {
    at: 'daily.example/comet',
    title: 'Bright comet visible before dawn this week',
    added: 'Look east an hour before sunrise. Binoculars help, clouds do not.',
    categories: ['/Science/Astronomy'],
    types: NEWS,
    rating: 78,
  },
];
