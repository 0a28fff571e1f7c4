/** Posts of the demo feed. People, brands and events are invented. */
export interface DemoPost {
  readonly by: keyof typeof AUTHORS;
  readonly text: string;
  /** English when left out. */
  readonly lang?: string;
}

export const AUTHORS = {
  mara_quill: { id: '7001', name: 'Mara Quill', bio: 'Geologist. Volcanoes, tea, long walks.', followers: 18_400 },
  orbitalworks: { id: '7002', name: 'Orbital Works', bio: 'We build small rockets for big ideas.', followers: 241_000 },
  northlinehelp: {
    id: '7003',
    name: 'Northline Help',
    bio: 'Support for Northline internet customers.',
    followers: 52_300,
  },
  devonpatch: {
    id: '7004',
    name: 'Devon Patch',
    bio: 'Maintainer of far too many open source libraries.',
    followers: 9_120,
  },
  lumen_audio: { id: '7005', name: 'Lumen Audio', bio: 'Headphones that listen.', followers: 88_000 },
  harborfc: { id: '7006', name: 'Harbor FC', bio: 'Football since 1911.', followers: 613_000 },
  skywatch_io: { id: '7007', name: 'Skywatch', bio: 'Weather, minute by minute.', followers: 134_000 },
  tessa_ledger: { id: '7008', name: 'Tessa Ledger', bio: 'Markets reporter. Numbers with manners.', followers: 47_900 },
  agentsmith_lab: {
    id: '7009',
    name: 'Agentsmith Lab',
    bio: 'Research on AI agents that keep their promises.',
    followers: 31_500,
  },
  biscuitandco: { id: '7010', name: 'Biscuit & Co', bio: 'Bakery. Open until the tray is empty.', followers: 2_310 },
  civicdata: { id: '7011', name: 'Civic Data', bio: 'Open data from city halls.', followers: 6_700 },
  remy_saddle: { id: '7012', name: 'Remy Saddle', bio: 'Cyclist, coach, slow descender.', followers: 4_050 },
} as const;

export const DEMO_POSTS: readonly DemoPost[] = [
  {
    by: 'mara_quill',
    text: 'Lava reached the old road on Mount Hesper this morning. The eruption is calm, the view is not. #volcano #Hesper',
  },
  {
    by: 'orbitalworks',
    text: 'Launch day! Kestrel-4 lifts off at 14:20 UTC with nine small satellites on board. Watch: https://orbitalworks.example/live #launch',
  },
  {
    by: 'northlinehelp',
    text: 'We are aware of an outage affecting broadband in the Eastport area. Engineers are on site. Next update at 10:30.',
  },
  {
    by: 'devonpatch',
    text: 'Released tinyqueue-rs 2.0: zero dependencies, half the memory, and yes, it is still open source. https://code.example/tinyqueue',
  },
  {
    by: 'lumen_audio',
    text: 'Meet the Lumen Arc: 40 hours of battery, repairable in ten minutes. Pre-order opens today. #LumenArc #launch',
  },
  { by: 'harborfc', text: 'FULL TIME: Harbor FC 3-1 Kestrel United. A hat-trick for Ines Okoro! #HarborFC' },
  {
    by: 'skywatch_io',
    text: 'Storm warning for the northern coast tonight: gusts up to 110 km/h, heavy rain, high tide at 23:10. Stay off the piers. #storm',
  },
  {
    by: 'tessa_ledger',
    text: '$BRIX up 6% after Brixton Chips raised its outlook for the year. Analysts had expected a flat quarter.',
  },
  {
    by: 'agentsmith_lab',
    text: 'New paper: AI agents that ask before they act make fewer mistakes than agents that apologise after. #AI #agents',
  },
  { by: 'biscuitandco', text: 'Cinnamon knots are out of the oven. First fifty customers get a second one free 🍪' },
  {
    by: 'civicdata',
    text: 'The city has published ten years of air quality readings as open data. Have at it: https://civicdata.example/air',
  },
  {
    by: 'remy_saddle',
    text: 'Six hours, two punctures, one sunrise. Cycling is a reasonable hobby, I say every time. #cycling',
  },
  {
    by: 'mara_quill',
    text: 'Tremors under Mount Hesper doubled overnight. No evacuation yet, but the observatory is watching closely. @skywatch_io',
  },
  {
    by: 'orbitalworks',
    text: 'Kestrel-4 is in orbit. All nine satellites deployed. Thank you for staying up with us 🚀',
  },
  {
    by: 'northlinehelp',
    text: 'Update: service is restored for most customers in Eastport. The outage was caused by a damaged fibre cable. Sorry, all.',
  },
  {
    by: 'devonpatch',
    text: 'Security note: if you run tinyqueue below 1.8, upgrade today. A crafted message can crash the server. CVE is on its way.',
  },
  {
    by: 'lumen_audio',
    text: 'Firmware 3.1 for Lumen Arc fixes the crackle some of you heard on calls. Thanks for the patient bug reports! @devonpatch',
  },
  {
    by: 'harborfc',
    text: 'Transfer news: goalkeeper Jonas Brandt joins Harbor FC on a three-year contract. Welcome, Jonas!',
  },
  {
    by: 'skywatch_io',
    text: 'First snow of the season above 1,200 m tomorrow. Roads over the Tarn Pass may close in the afternoon. #snow #weather',
  },
  {
    by: 'tessa_ledger',
    text: 'Central bank keeps interest rates at 3.25%. The governor sounded more worried about growth than about inflation.',
  },
  {
    by: 'agentsmith_lab',
    text: 'Our agent benchmark now has 400 tasks, all with tests, none with tricks. Leaderboard: https://agentsmith.example/board #opensource',
  },
  {
    by: 'biscuitandco',
    text: 'We are hiring! If you can fold croissants at 4 am and still say good morning, write to us.',
  },
  {
    by: 'civicdata',
    text: 'Bus delays in one chart: the 14 line is late on 38% of days, mostly rain. Data and code are open.',
  },
  {
    by: 'remy_saddle',
    text: 'Anyone else find the new Velox brakes squeal in the wet? Third pair of pads already. Not impressed, Velox.',
  },
  {
    by: 'mara_quill',
    text: 'Why do volcanoes make lightning? Ash rubs ash, charge builds, and the plume becomes its own thunderstorm. #volcano',
  },
  {
    by: 'orbitalworks',
    text: 'Engine test at dawn: 94 seconds at full thrust, all green. Next stop is the Moon transfer stage.',
  },
  {
    by: 'northlinehelp',
    text: '@remy_saddle Hi Remy, sorry the router keeps dropping. Could you send us your postcode in a direct message?',
  },
  { by: 'devonpatch', text: 'Hot take: a changelog that says "various fixes" is a bug report about the changelog.' },
  {
    by: 'lumen_audio',
    text: 'Recall notice: charging cases made in March may overheat. Stop using them and ask us for a free replacement.',
  },
  {
    by: 'harborfc',
    text: 'Tickets for the cup final go on sale Monday at 9. Members first. Please do not refresh with robots.',
  },
  {
    by: 'skywatch_io',
    text: 'Heatwave update: 39 °C expected inland on Thursday. Drink water, check on neighbours, walk the dog at dawn. #heatwave',
  },
  {
    by: 'tessa_ledger',
    text: 'Acquisition talk: Northline is said to be in talks to buy the regional network of Fenbridge Telecom. $NLN $FBT',
  },
  {
    by: 'agentsmith_lab',
    text: 'We asked three AI agents to book a train. One booked a plane, one asked a question, one did it. Guess which we ship.',
  },
  { by: 'biscuitandco', text: 'Vegan lemon bars, take two: less sugar, more lemon. Tell us honestly.' },
  {
    by: 'civicdata',
    text: 'Election results by precinct will be published as CSV within an hour of the count. Mirrors welcome.',
  },
  {
    by: 'remy_saddle',
    text: 'Climbed the Tarn Pass before the snow. Legs: gone. Mood: excellent. #cycling #mountains',
  },
  {
    by: 'mara_quill',
    text: 'Der Vulkan Hesper ist wieder aktiv. Die Asche zieht nach Osten, der Flughafen bleibt offen. #Vulkan',
    lang: 'de',
  },
  {
    by: 'skywatch_io',
    text: 'Alerta de tormenta para la costa norte esta noche: vientos de hasta 110 km/h. #tormenta',
    lang: 'es',
  },
  {
    by: 'harborfc',
    text: 'Victoire ! Harbor FC gagne 3-1 et passe en demi-finale. Merci aux supporters. #HarborFC',
    lang: 'fr',
  },
  { by: 'lumen_audio', text: 'ルーメン・アークのヘッドホンが本日発売。バッテリーは40時間です。', lang: 'ja' },
  { by: 'orbitalworks', text: 'Raket Kestrel-4 siap meluncur besok pagi. Doakan cuaca cerah!', lang: 'in' },
  {
    by: 'tessa_ledger',
    text: 'Il mercato chiude in rialzo: $BRIX guadagna il 6% dopo i conti trimestrali.',
    lang: 'it',
  },
  {
    by: 'agentsmith_lab',
    text: 'Live now: how we test AI agents without letting them near production. Questions welcome. https://agentsmith.example/live',
  },
  {
    by: 'devonpatch',
    text: 'Five years ago today I pushed the first commit of tinyqueue. It had one test and it failed. #opensource',
  },
  {
    by: 'northlinehelp',
    text: 'Planned maintenance tonight between 01:00 and 04:00 in Westbrook. You may lose connection for up to ten minutes.',
  },
  {
    by: 'civicdata',
    text: 'New: a map of every drinking fountain in town. Yes, we counted. Twice. https://civicdata.example/fountains',
  },
  {
    by: 'mara_quill',
    text: 'Satellite images show a new lava lake in the crater of Mount Hesper. About the size of two football pitches.',
  },
  {
    by: 'orbitalworks',
    text: 'Scrubbed: high winds above the pad. Next launch window opens tomorrow at 14:05 UTC. Safety first.',
  },
  { by: 'biscuitandco', text: 'Power cut on Mill Street, ovens are cold, coffee is free. Come and keep us company.' },
  { by: 'skywatch_io', text: 'Rainbow over the harbour right now. Look up! 🌈' },
  {
    by: 'tessa_ledger',
    text: 'Layoffs at Velox: the bike maker cuts 200 jobs and closes its Eastport plant. Shares fall 11%. $VLX',
  },
  {
    by: 'harborfc',
    text: 'Injury update: Ines Okoro will miss two weeks with a hamstring strain. Get well soon, captain.',
  },
  {
    by: 'remy_saddle',
    text: 'Velox closing the Eastport plant is sad news. My first real bike came from there. Thank you to everyone who built it.',
  },
  {
    by: 'lumen_audio',
    text: 'Design note: every screw in the Lumen Arc is the same screw. Repair should not need a toolbox.',
  },
  {
    by: 'agentsmith_lab',
    text: 'Prompt injection in the wild: a web page told our agent to email its secrets. It reported the page instead. #AI #security',
  },
  {
    by: 'devonpatch',
    text: 'TIL our parser was quadratic on nested brackets. It is linear now. The fuzzer found it in four minutes.',
  },
  {
    by: 'civicdata',
    text: 'Correction: yesterday’s chart of bus delays had the axes swapped. The buses are still late.',
  },
  {
    by: 'northlinehelp',
    text: 'All clear: the Eastport fibre repair is complete and speeds are back to normal. Thank you for your patience.',
  },
  {
    by: 'mara_quill',
    text: 'Evacuation ordered for two villages below Mount Hesper. Please follow the marked routes and take your pets. #volcano #eruption',
  },
  {
    by: 'orbitalworks',
    text: 'We are opening the flight software of Kestrel as open source next month. Read it, break it, tell us. #opensource #space',
  },
  {
    by: 'skywatch_io',
    text: 'Earthquake felt near Hesper at 06:12, magnitude 4.1. No damage reported so far. #earthquake',
  },
  {
    by: 'tessa_ledger',
    text: 'Gold at a six-month high, oil a little lower, and everyone is waiting for the jobs report on Friday.',
  },
  {
    by: 'biscuitandco',
    text: 'Someone paid for the next ten coffees today. To whoever you are: you made a lot of mornings better ❤️',
  },
  {
    by: 'harborfc',
    text: 'Women’s team travel to Kestrel United on Sunday. Kick-off 15:00, free entry for under-12s.',
  },
  {
    by: 'remy_saddle',
    text: 'Charity ride for the Hesper villages this Saturday. 60 km, flat, cake at the end by @biscuitandco. Join us!',
  },
  { by: 'lumen_audio', text: 'Price drop: Lumen Arc now 149. Same headphones, same screws.' },
  {
    by: 'agentsmith_lab',
    text: 'Hiring: a research engineer who likes evaluation more than demos. Remote is fine. https://agentsmith.example/jobs',
  },
  {
    by: 'devonpatch',
    text: 'Dependency update day. Coffee first. Then 34 pull requests from a robot that is more awake than I am.',
  },
];
