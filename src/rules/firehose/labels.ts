/**
 * The values that pages carry in `page_category`, `page_type` and `language`, to detect misspelt ones. Each word
 * is one step of a label; `>` gives its depth, so that `News >Business_News` is /News and /News/Business_News.
 */
const CATEGORIES = `
Adult
Arts_and_Entertainment >Celebrities_and_Entertainment_News >Comics_and_Animation >>Anime_and_Manga >>Cartoons
  >>Comics >Entertainment_Industry >>Film_and_TV_Industry >>Recording_Industry >Events_and_Listings
  >>Bars,_Clubs_and_Nightlife >>Concerts_and_Music_Festivals >>Event_Ticket_Sales >>Expos_and_Conventions
  >>Film_Festivals >>Food_and_Beverage_Events >>Live_Sporting_Events >>Movie_Listings_and_Theater_Showtimes
  >Fun_and_Trivia >>Flash-Based_Entertainment >>Fun_Tests_and_Silly_Surveys >Humor >>Funny_Pictures_and_Videos
  >>Live_Comedy >>Political_Humor >>Spoofs_and_Satire >Movies >>Action_and_Adventure_Films >>Animated_Films
  >>Bollywood_and_South_Asian_Films >>Classic_Films >>Comedy_Films >>Cult_and_Indie_Films >>DVD_and_Video_Shopping
  >>Documentary_Films >>Drama_Films >>Family_Films >>Horror_Films >>Movie_Memorabilia >>Movie_Reference
  >>Musical_Films >>Romance_Films >>Science_Fiction_and_Fantasy_Films >>Thriller,_Crime_and_Mystery_Films
  >Music_and_Audio >>CD_and_Audio_Shopping >>Classical_Music >>Country_Music >>Dance_and_Electronic_Music
  >>Experimental_and_Industrial_Music >>Folk_and_Traditional_Music >>Jazz_and_Blues >>Music_Art_and_Memorabilia
  >>Music_Education_and_Instruction >>Music_Equipment_and_Technology >>Music_Reference >>Music_Streams_and_Downloads
  >>Music_Videos >>Podcasts >>Pop_Music >>Radio >>Religious_Music >>Rock_Music >>Soundtracks >>Urban_and_Hip-Hop
  >>Vocals_and_Show_Tunes >>World_Music >Offbeat >>Occult_and_Paranormal >Online_Media >>Online_Image_Galleries
  >>Virtual_Tours >Performing_Arts >>Acting_and_Theater >>Broadway_and_Musical_Theater >>Circus >>Dance >>Magic
  >>Opera >TV_and_Video >>Online_Video >>TV_Commercials >>TV_Guides_and_Reference >>TV_Networks_and_Stations
  >>TV_Shows_and_Programs >Visual_Art_and_Design >>Architecture >>Art_Museums_and_Galleries >>Design >>Painting
  >>Photographic_and_Digital_Arts >>Sculpture >>Visual_Arts_and_Design_Education
Autos_and_Vehicles >Bicycles_and_Accessories >>BMX_Bikes >>Bike_Accessories >>Bike_Frames
  >>Bike_Helmets_and_Protective_Gear >>Bike_Parts_and_Repair >>Cruiser_Bicycles >>Electric_Bicycles >>Kids'_Bikes
  >>Mountain_Bikes >>Road_Bikes >Boats_and_Watercraft >Campers_and_RVs >Classic_Vehicles >Commercial_Vehicles
  >>Cargo_Trucks_and_Trailers >Custom_and_Performance_Vehicles >Motor_Vehicles_(By_Brand) >>Audi >>BMW >>Bentley
  >>Buick >>Cadillac >>Chevrolet >>Chrysler >>Citroën >>Daewoo_Motors >>Dodge >>Ferrari >>Fiat >>Ford >>GMC >>Honda
  >>Hummer >>Hyundai >>Isuzu >>Jaguar >>Jeep >>Kia >>Lamborghini >>Land_Rover >>Lincoln >>Maserati >>Mazda
  >>Mercedes-Benz >>Mercury >>Mini >>Mitsubishi >>Nissan >>Peugeot >>Pontiac >>Porsche >>Ram_Trucks >>Renault
  >>Rolls-Royce >>SEAT >>Saab >>Saturn >>Skoda >>Subaru >>Suzuki >>Tesla_Motors >>Toyota >>Vauxhall-Opel
  >>Volkswagen >>Volvo >Motor_Vehicles_(By_Type) >>Autonomous_Vehicles >>Compact_Cars >>Convertibles >>Coupes
  >>Diesel_Vehicles >>Hatchbacks >>Hybrid_and_Alternative_Vehicles >>Luxury_Vehicles >>Microcars_and_Subcompacts
  >>Motorcycles >>Off-Road_Vehicles >>Scooters_and_Mopeds >>Sedans >>Sports_Cars >>Station_Wagons
  >>Trucks,_Vans_and_SUVs >Personal_Aircraft >Vehicle_Codes_and_Driving_Laws >>Drunk_Driving_Law
  >>Vehicle_Licensing_and_Registration >Vehicle_Parts_and_Services >>Gas_Prices_and_Vehicle_Fueling
  >>Towing_and_Roadside_Assistance >>Vehicle_Modification_and_Tuning >>Vehicle_Parts_and_Accessories
  >>Vehicle_Repair_and_Maintenance >Vehicle_Shopping >>Used_Vehicles >>Vehicle_Dealers_and_Retailers
  >>Vehicle_Specs,_Reviews_and_Comparisons >Vehicle_Shows
Beauty_and_Fitness >Beauty_Pageants >Beauty_Services_and_Spas >>Cosmetic_Procedures >>Manicures_and_Pedicures
  >>Massage_Therapy >Body_Art >Cosmetology_and_Beauty_Professionals >Face_and_Body_Care >>Clean_Beauty
  >>Hygiene_and_Toiletries >>Make-Up_and_Cosmetics >>Perfumes_and_Fragrances >>Skin_and_Nail_Care
  >>Sun_Care_and_Tanning_Products >>Unwanted_Body_and_Facial_Hair_Removal >Fashion_and_Style
  >>Fashion_Designers_and_Collections >Fitness >>Bodybuilding >>Fitness_Equipment_and_Accessories
  >>Fitness_Instruction_and_Personal_Training >>Gyms_and_Health_Clubs >>High_Intensity_Interval_Training
  >>Yoga_and_Pilates >Hair_Care >>Hair_Loss >>Shampoos_and_Conditioners >Weight_Loss
Books_and_Literature >Audiobooks >Book_Retailers >Children's_Literature >E-Books >Fan_Fiction >Literary_Classics
  >Poetry >Writers_Resources
Business_and_Industrial >Advertising_and_Marketing >>Brand_Management >>Marketing >>Public_Relations >>Sales
  >>Telemarketing >Aerospace_and_Defense >>Aviation_Industry >>Space_Technology >Agriculture_and_Forestry
  >>Agricultural_Equipment >>Aquaculture >>Crops_and_Seed >>Farms_and_Ranches >>Forestry >>Livestock
  >Automotive_Industry >Business_Education >Business_Finance >>Commercial_Lending >>Investment_Banking
  >>Risk_Management >>Venture_Capital >Business_Operations >>Business_Plans_and_Presentations
  >>Flexible_Work_Arrangements >>Human_Resources >>Management >Business_Services >>Commercial_Distribution
  >>Consulting >>Corporate_Events >>E-Commerce_Services >>Fire_and_Security_Services >>Knowledge_Management
  >>Office_Services >>Office_Supplies >>Outsourcing >>Physical_Asset_Management >>Quality_Control_and_Tracking
  >>Shared_Workspaces >>Signage >>Warehousing >>Writing_and_Editing_Services >Chemicals_Industry >>Agrochemicals
  >>Cleaning_Agents >>Coatings_and_Adhesives >>Dyes_and_Pigments >>Plastics_and_Polymers
  >Construction_and_Maintenance >>Building_Materials_and_Supplies >>Civil_Engineering >Energy_and_Utilities
  >>Electricity >>Nuclear_Energy >>Oil_and_Gas >>Renewable_and_Alternative_Energy >>Waste_Management
  >Hospitality_Industry >>Event_Planning >>Event_Venue_Rentals >>Food_Service >Industrial_Materials_and_Equipment
  >>Fluid_Handling >>Generators >>Heavy_Machinery >>Industrial_Handling_and_Processing_Equipment
  >>Industrial_Measurement_and_Control_Equipment >Manufacturing >>Factory_Automation >Metals_and_Mining
  >>Precious_Metals >Pharmaceuticals_and_Biotech >Printing_and_Publishing >>Document_and_Printing_Services
  >Retail_Trade >>Retail_Equipment_and_Technology >Shipping_and_Logistics >>Freight_Transport >>>Maritime_Transport
  >>>Rail_Freight >>Import_and_Export >>Mail_and_Package_Delivery >>Moving_and_Relocation >>Packaging >>Self_Storage
  >Small_Business >>Business_Formation >>Home_Office >>MLM_and_Business_Opportunities >Textiles_and_Nonwovens
Computers_and_Electronics >CAD_and_CAM >Computer_Hardware >>Computer_Components >>Computer_Drives_and_Storage
  >>Computer_Peripherals >>Computer_Servers >>Desktop_Computers >>Hardware_Modding_and_Tuning
  >>Laptops_and_Notebooks >Computer_Security >>Antivirus_and_Malware >>Hacking_and_Cracking >>Network_Security
  >Consumer_Electronics >>Audio_Equipment >>Camera_and_Photo_Equipment >>Car_Electronics >>Drones_and_RC_Aircraft
  >>Electronic_Accessories >>GPS_and_Navigation >>Gadgets_and_Portable_Electronics >>Game_Systems_and_Consoles
  >>Home_Automation >>Media_Streaming_Devices >>TV_and_Video_Equipment >>Virtual_Reality_Devices
  >Electronics_and_Electrical >>Data_Sheets_and_Electronics_Reference >>Electrical_Test_and_Measurement
  >>Electromechanical_Devices >>Electronic_Components >>Optoelectronics_and_Fiber >>Power_Supplies
  >Enterprise_Technology >>Customer_Relationship_Management_(CRM) >>Data_Management
  >>Enterprise_Resource_Planning_(ERP) >>Helpdesk_and_Customer_Support_Systems >Networking
  >>Data_Formats_and_Protocols >>Distributed_and_Cloud_Computing >>Network_Monitoring_and_Management
  >>Networking_Equipment >>VPN_and_Remote_Access >Programming >>C_and_C++ >>Development_Tools
  >>Java_(Programming_Language) >>Scripting_Languages >>Windows_and_.NET >Software
  >>Business_and_Productivity_Software >>Device_Drivers >>Educational_Software >>Freeware_and_Shareware
  >>Intelligent_Personal_Assistants >>Internet_Software >>Monitoring_Software >>Multimedia_Software >>Open_Source
  >>Operating_Systems >>Software_Utilities
Finance >Accounting_and_Auditing >>Billing_and_Invoicing >>Bookkeeping >>Tax_Preparation_and_Planning >Banking
  >>ATMs_and_Branch_Locations >>Debit_and_Checking_Services >>Mobile_Payments_and_Digital_Wallets
  >>Money_Transfer_and_Wire_Services >>Savings_Accounts >Credit_and_Lending >>Credit_Cards
  >>Credit_Reporting_and_Monitoring >>Debt_Collection_and_Repossession >>Debt_Management >>Loans >Crowdfunding
  >Financial_Planning_and_Management >>Asset_and_Portfolio_Management >>Inheritance_and_Estate_Planning
  >>Retirement_and_Pension >Grants,_Scholarships_and_Financial_Aid >>Government_Grants
  >>Study_Grants_and_Scholarships >Insurance >>Health_Insurance >>Home_Insurance >>Life_Insurance >>Travel_Insurance
  >>Vehicle_Insurance >Investing >>Brokerages_and_Day_Trading >>Commodities_and_Futures_Trading
  >>Currencies_and_Foreign_Exchange >>Derivatives >>Funds >>Real_Estate_Investment_Trusts
  >>Socially_Responsible_Investing >>Stocks_and_Bonds
Food_and_Drink >Beverages >>Alcohol-Free_Beverages >>Alcoholic_Beverages >>Bottled_Water >>Coffee_and_Tea
  >>Energy_Drinks >>Juice >>Nutrition_Drinks_and_Shakes >>Soft_Drinks >>Sports_Drinks >Cooking_and_Recipes
  >>BBQ_and_Grilling >>Cuisines >>Culinary_Training >>Desserts >>Healthy_Eating >>Salads >>Soups_and_Stews >Food
  >>Baked_Goods >>Breakfast_Foods >>Candy_and_Sweets >>Condiments_and_Dressings >>Cooking_Fats_and_Oils
  >>Dairy_and_Egg_Substitutes >>Dairy_and_Eggs >>Fruits_and_Vegetables >>Gourmet_and_Specialty_Foods
  >>Grains_and_Pasta >>Herbs_and_Spices >>Jams,_Jellies_and_Preserves >>Meat_and_Seafood
  >>Meat_and_Seafood_Substitutes >>Organic_and_Natural_Foods >>Snack_Foods >Food_and_Grocery_Delivery
  >>Grocery_Delivery_Services >>Meal_Kits >>Restaurant_Delivery_Services >Food_and_Grocery_Retailers >>Bakeries
  >>Butchers >>Convenience_Stores >>Delicatessens >>Farmers'_Markets >Restaurants >>Catering >>Fast_Food
  >>Fine_Dining >>Pizzerias >>Restaurant_Reviews_and_Reservations
Games >Arcade_and_Coin-Op_Games >Board_Games >>Chess_and_Abstract_Strategy_Games >>Miniatures_and_Wargaming
  >Card_Games >>Collectible_Card_Games >>Poker_and_Casino_Games >Computer_and_Video_Games
  >>Action_and_Platform_Games >>Adventure_Games >>Browser_Games >>Casual_Games >>Competitive_Video_Gaming
  >>Driving_and_Racing_Games >>Fighting_Games >>Gaming_Reference_and_Reviews >>Massively_Multiplayer_Games
  >>Music_and_Dance_Games >>Sandbox_Games >>Shooter_Games >>Simulation_Games >>Sports_Games >>Strategy_Games
  >>Video_Game_Development >>Video_Game_Emulation >>Video_Game_Mods_and_Add-Ons >>Video_Game_Retailers >Dice_Games
  >Educational_Games >Family-Oriented_Games_and_Activities >>Drawing_and_Coloring >>Dress-Up_and_Fashion_Games
  >Gambling >>Lottery >>Sports_Betting >Party_Games >Puzzles_and_Brainteasers >Roleplaying_Games >Table_Games
  >>Billiards >>Table_Tennis >Tile_Games >Word_Games
Health >Aging_and_Geriatrics >>Alzheimer's_Disease >Alternative_and_Natural_Medicine
  >>Acupuncture_and_Chinese_Medicine >>Cleansing_and_Detoxification >Health_Conditions >>AIDS_and_HIV >>Allergies
  >>>Environmental_Allergies >>>Food_Allergies >>Arthritis >>Blood_Sugar_and_Diabetes >>Cancer >>Ear_Nose_and_Throat
  >>Eating_Disorders >>Endocrine_Conditions >>GERD_and_Digestive_Disorders >>Genetic_Disorders
  >>Heart_and_Hypertension >>Infectious_Diseases >>>Covid-19 >>>Vaccines_and_Immunizations >>Injury
  >>Neurological_Conditions >>Obesity >>Pain_Management >>Respiratory_Conditions >>Skin_Conditions >>Sleep_Disorders
  >Health_Education_and_Medical_Training >Health_Foundations_and_Medical_Research >Medical_Devices_and_Equipment
  >>Assistive_Technology >Medical_Facilities_and_Services >>Doctors'_Offices >>Hospitals_and_Treatment_Centers
  >>Medical_Procedures >>>Surgery >>>>Cosmetic_Surgery >>Physical_Therapy >Medical_Literature_and_Resources
  >>Medical_Photos_and_Illustration >Men's_Health >Mental_Health >>Anxiety_and_Stress >>Compulsive_Gambling
  >>Counseling_Services >>Depression >Nursing >>Assisted_Living_and_Long_Term_Care >Nutrition
  >>Special_and_Restricted_Diets >>Vitamins_and_Supplements >Oral_and_Dental_Care >Pediatrics >Pharmacy
  >>Drugs_and_Medications >Public_Health >>Health_Policy >>Occupational_Health_and_Safety
  >>Toxic_Substances_and_Poisoning >Reproductive_Health >>Birth_Control >>Infertility >>Male_Impotence >>OBGYN
  >>Sex_Education_and_Counseling >Substance_Abuse >>Drug_and_Alcohol_Testing >>Drug_and_Alcohol_Treatment
  >>Smoking_and_Smoking_Cessation >>Steroids_and_Performance-Enhancing_Drugs >Vision_Care >>Eye_Exams_and_Optometry
  >>Eyeglasses_and_Contacts >>Laser_Vision_Correction >Women's_Health
Hobbies_and_Leisure >Clubs_and_Organizations >>Youth_Organizations_and_Resources >Crafts >>Art_and_Craft_Supplies
  >>Ceramics_and_Pottery >>Fiber_and_Textile_Arts >Merit_Prizes_and_Contests >Outdoors >>Fishing
  >>Hiking_and_Camping >>Hunting_and_Shooting >Paintball >Radio_Control_and_Modeling >>Model_Trains_and_Railroads
  >Recreational_Aviation >Special_Occasions >>Anniversaries >>Holidays_and_Seasonal_Events >>Weddings
  >Sweepstakes_and_Promotional_Giveaways >Water_Activities >>Boating >>Diving_and_Underwater_Activities
  >>Surf_and_Swim
Home_and_Garden >Bed_and_Bath >>Bathroom >>Bedroom >Domestic_Services >>Cleaning_Services >HVAC_and_Climate_Control
  >>Air_Conditioners >>Air_Filters_and_Purifiers >>Fireplaces_and_Stoves >>Heaters >>Household_Fans >Home_Appliances
  >>Vacuums_and_Floor_Care >>Water_Filters_and_Purifiers >Home_Furnishings >>Clocks >>Countertops
  >>Curtains_and_Window_Treatments >>Kitchen_and_Dining_Furniture >>Lamps_and_Lighting >>Living_Room_Furniture
  >>Outdoor_Furniture >>Rugs_and_Carpets >Home_Improvement >>Construction_and_Power_Tools >>Doors_and_Windows
  >>Flooring >>House_Painting_and_Finishing >>Locks_and_Locksmiths >>Plumbing >>Roofing >Home_Safety_and_Security
  >>Home_Alarm_and_Security_Systems >Home_Storage_and_Shelving >>Cabinetry >Home_Swimming_Pools,_Saunas_and_Spas
  >Home_and_Interior_Decor >Household_Supplies >>Household_Batteries >>Household_Cleaning_Supplies
  >Kitchen_and_Dining >>Cookware_and_Diningware >>Major_Kitchen_Appliances >>Small_Kitchen_Appliances >Laundry
  >>Washers_and_Dryers >Patio,_Lawn_and_Garden >>Barbecues_and_Grills >>Garden_Structures >>Gardening
  >>Landscape_Design >>Yard_Maintenance >>>Lawn_Mowers >Pest_Control
Internet_and_Telecom >Communications_Equipment >>Radio_Equipment >Email_and_Messaging >>Electronic_Spam >>Email
  >>Text_and_Instant_Messaging >>Voice_and_Video_Chat >Mobile_and_Wireless >>Mobile_Apps_and_Add-Ons >>Mobile_Phones
  >>Mobile_and_Wireless_Accessories >Search_Engines >>People_Search >Service_Providers
  >>Cable_and_Satellite_Providers >>ISPs >>Phone_Service_Providers >Teleconferencing >Web_Services
  >>Affiliate_Programs >>Cloud_Storage >>Search_Engine_Optimization_and_Marketing >>Web_Design_and_Development
  >>Web_Stats_and_Analytics
Jobs_and_Education >Education >>Academic_Conferences_and_Publications >>Alumni_and_Reunions
  >>Colleges_and_Universities >>Computer_Education >>Distance_Learning >>Early_Childhood_Education >>Homeschooling
  >>Open_Online_Courses >>Primary_and_Secondary_Schooling_(K-12) >>Private_Tutoring_Services >>Special_Education
  >>Standardized_and_Admissions_Tests >>Study_Abroad >>Teaching_and_Classroom_Resources >>Training_and_Certification
  >>Vocational_and_Continuing_Education >Internships >Jobs >>Career_Resources_and_Planning >>Job_Listings
  >>Resumes_and_Portfolios
Law_and_Government >Government >>Courts_and_Judiciary >>Embassies_and_Consulates >>Executive_Branch
  >>Government_Contracting_and_Procurement >>Intelligence_and_Counterterrorism >>Legislative_Branch >>Lobbying
  >>Public_Policy >>Royalty >>Visa_and_Immigration >Legal >>Accident_and_Personal_Injury_Law >>Bankruptcy
  >>Business_and_Corporate_Law >>Constitutional_Law_and_Civil_Rights >>Family_Law >>Intellectual_Property
  >>Labor_and_Employment_Law >>Legal_Education >>Legal_Services >>Product_Liability >>Real_Estate_Law >Military
  >>Air_Force >>Army >>Marines >>Navy >>Veterans >Public_Safety >>Crime_and_Justice >>Emergency_Services
  >>Law_Enforcement >>Security_Products_and_Services >Social_Services >>Welfare_and_Unemployment
News >Business_News >>Company_News >>Economy_News >>Financial_Markets_News >>Fiscal_Policy_News
  >Gossip_and_Tabloid_News >>Scandals_and_Investigations >Health_News >Local_News >Politics
  >>Campaigns_and_Elections >>Media_Critics_and_Watchdogs >>Political_Polls_and_Surveys >Sports_News
  >Technology_News >Weather >World_News
Online_Communities >Blogging_Resources_and_Services >Dating_and_Personals >>Matrimonial_Services >>Personals
  >>Photo_Rating_Sites >File_Sharing_and_Hosting >Online_Goodies >>Clip_Art_and_Animated_GIFs
  >>Skins,_Themes_and_Wallpapers >>Social_Network_Apps_and_Add-Ons >Online_Journals_and_Personal_Sites
  >Photo_and_Video_Sharing >>Photo_and_Image_Sharing >>Video_Sharing >Social_Networks >Virtual_Worlds
People_and_Society >Family_and_Relationships >>Etiquette >>Family >>>Parenting >>>>Babies_and_Toddlers
  >>>>>Nursery_and_Playroom >>Marriage >>Romance >>Troubled_Relationships >Kids_and_Teens >>Children's_Interests
  >>Teen_Interests >Religion_and_Belief >Self-Help_and_Motivational >Seniors_and_Retirement
  >Social_Issues_and_Advocacy >>Charity_and_Philanthropy >>Discrimination_and_Identity_Relations
  >>Drug_Laws_and_Policy >>Ethics >>Green_Living_and_Environmental_Issues >>Housing_and_Development
  >>Human_Rights_and_Liberties >>Poverty_and_Hunger >>Work_and_Labor_Issues >Social_Sciences >>Anthropology
  >>Archaeology >>Communications_and_Media_Studies >>Demographics >>Economics >>Political_Science >>Psychology
  >Subcultures_and_Niche_Interests
Pets_and_Animals >Animal_Products_and_Services >>Animal_Welfare >>Pet_Food_and_Pet_Care_Supplies >>Veterinarians
  >Pets >>Birds >>Cats >>Dogs >>Exotic_Pets >>Fish_and_Aquaria >>Horses >>Rabbits_and_Rodents
  >>Reptiles_and_Amphibians >Wildlife
Real_Estate >Property_Development >Real_Estate_Listings >>Bank-Owned_and_Foreclosed_Properties
  >>Commercial_Properties >>Lots_and_Land >>Residential_Rentals >>Residential_Sales
  >>Timeshares_and_Vacation_Properties >Real_Estate_Services >>Property_Inspections_and_Appraisals
  >>Property_Management >>Real_Estate_Agencies >>Real_Estate_Title_and_Escrow
Reference >Directories_and_Listings >>Business_and_Personal_Listings >General_Reference >>Biographies_and_Quotations
  >>Calculators_and_Reference_Tools >>Dictionaries_and_Encyclopedias >>Educational_Resources
  >>Forms_Guides_and_Templates >>How-To,_DIY_and_Expert_Content >>Public_Records >>Time_and_Calendars
  >Geographic_Reference >>Maps >Humanities >>History >>Myth_and_Folklore >>Philosophy >Language_Resources
  >>Foreign_Language_Resources >Libraries_and_Museums >>Libraries >>Museums >Technical_Reference
Science >Astronomy >Biological_Sciences >>Genetics >>Neuroscience >Chemistry >Computer_Science
  >>Machine_Learning_and_Artificial_Intelligence >Earth_Sciences >>Atmospheric_Science >>Geology >>Paleontology
  >Ecology_and_Environment >>Climate_Change_and_Global_Warming >Engineering_and_Technology
  >>Augmented_and_Virtual_Reality >>Robotics >Mathematics >>Statistics >Physics >Scientific_Equipment
  >Scientific_Institutions
Sensitive_Subjects >Accidents_and_Disasters >Death_and_Tragedy >Firearms_and_Weapons >Recreational_Drugs >Self-Harm
  >Violence_and_Abuse >War_and_Conflict
Shopping >Antiques_and_Collectibles >Apparel >>Apparel_Services >>Athletic_Apparel >>Casual_Apparel
  >>Children's_Clothing >>Clothing_Accessories >>Costumes >>Eyewear >>Footwear >>Formal_Wear >>Headwear
  >>Men's_Clothing >>Outerwear >>Pants_and_Shorts >>Shirts_and_Tops >>Sleepwear >>Suits_and_Business_Attire
  >>Swimwear >>Undergarments >>Uniforms_and_Workwear >>Women's_Clothing >Auctions >Classifieds >Consumer_Resources
  >>Consumer_Advocacy_and_Protection >>Coupons_and_Discount_Offers >>Customer_Services >>Identity_Theft_Protection
  >>Product_Reviews_and_Price_Comparisons >Discount_and_Outlet_Stores >Entertainment_Media
  >>Entertainment_Media_Rentals >Gifts_and_Special_Event_Items >>Custom_and_Personalized_Items >>Flowers >>Gifts
  >>Greeting_Cards >>Party_and_Holiday_Supplies >Green_and_Eco-Friendly_Shopping >Luxury_Goods
  >Mass_Merchants_and_Department_Stores >Photo_and_Video_Services >>Event_and_Studio_Photography
  >>Photo_Printing_Services >>Stock_Photography >Shopping_Portals >Swap_Meets_and_Outdoor_Markets
  >Tobacco_and_Vaping_Products >Toys >>Action_Figures >>Building_Toys >>Die-cast_and_Toy_Vehicles
  >>Dolls_and_Accessories >>Educational_Toys >>Outdoor_Toys_and_Play_Equipment >>Puppets >>Ride-On_Toys_and_Wagons
  >>Stuffed_Toys >Wholesalers_and_Liquidators
Sports >Animal_Sports >>Equestrian >College_Sports >Combat_Sports >>Boxing >>Fencing >>Martial_Arts >>Wrestling
  >Extreme_Sports >>Climbing_and_Mountaineering >>Drag_and_Street_Racing >>Stunts_and_Dangerous_Feats
  >Fantasy_Sports >Individual_Sports >>Bowling >>Cycling >>Golf >>Gymnastics >>Racquet_Sports >>Running_and_Walking
  >>Skate_Sports >>Track_and_Field >International_Sports_Competitions >>Olympics >Motor_Sports >>Auto_Racing
  >>Motorcycle_Racing >Sport_Scores_and_Statistics >Sporting_Goods >>American_Football_Equipment
  >>Baseball_Equipment >>Basketball_Equipment >>Bowling_Equipment >>Combat_Sports_Equipment >>Cricket_Equipment
  >>Electric_Skateboards_and_Scooters >>Equestrian_Equipment_and_Tack >>Golf_Equipment >>Gymnastics_Equipment
  >>Hockey_Equipment >>Ice_Skating_Equipment >>Roller_Skating_and_Rollerblading_Equipment >>Skateboarding_Equipment
  >>Soccer_Equipment >>Sports_Memorabilia >>Squash_and_Racquetball_Equipment >>Table_Tennis_Equipment
  >>Tennis_Equipment >>Volleyball_Equipment >>Water_Sports_Equipment >>Winter_Sports_Equipment
  >Sports_Coaching_and_Training >Sports_Fan_Gear_and_Apparel >Team_Sports >>American_Football >>Australian_Football
  >>Baseball >>Basketball >>Cheerleading >>Cricket >>Handball >>Hockey >>Rugby >>Soccer >>Volleyball >Water_Sports
  >>Surfing >>Swimming >Winter_Sports >>Ice_Skating >>Skiing_and_Snowboarding
Travel_and_Transportation >Hotels_and_Accommodations >>Vacation_Rentals_and_Short-Term_Stays
  >Luggage_and_Travel_Accessories >>Backpacks_and_Utility_Bags >Specialty_Travel >>Adventure_Travel >>Agritourism
  >>Business_Travel >>Ecotourism >>Family_Travel >>Honeymoons_and_Romantic_Getaways
  >>Low_Cost_and_Last_Minute_Travel >>Luxury_Travel >>Medical_Tourism >>Religious_Travel >Tourist_Destinations
  >>Beaches_and_Islands >>Historical_Sites_and_Buildings >>Mountain_and_Ski_Resorts >>Regional_Parks_and_Gardens
  >>Theme_Parks >>Vineyards_and_Wine_Tourism >>Zoos,_Aquariums_and_Preserves >Transportation >>Air_Travel
  >>Car_Rentals >>Carpooling >>Chartered_Transportation_Rentals >>Cruises_and_Charters >>Long_Distance_Bus_and_Rail
  >>Parking >>>Airport_Parking_and_Transportation >>Scooter_and_Bike_Rentals >>Taxi_and_Ride_Hail_Services
  >>Traffic_and_Route_Planners >>Urban_Transit >Travel_Agencies_and_Services >>Guided_Tours_and_Escorted_Vacations
  >>Sightseeing_Tours >>Vacation_Offers >Travel_Guides_and_Travelogues
`;

const TYPES = `
Article >Checklists >Comparisons >Definitions >FAQ >How_to >Listicle >News_Update >Opinion_Piece
  >Product_or_Brand_Review >Recipe >Roundup >Story >Study_or_Research_Findings >Thought_Leadership
  >Tutorial_or_Guide >Wiki
Audio >Audiobook >Commentary >Interview >Music >Podcast >Sound_Byte >Webinar
Core_Page >About_Page >Blog_Index >Careers_Page >Contact_Page >FAQ_Page >Homepage >Portfolio_Page
  >Privacy_Policy_Page >Services_Page >T&C_Page
Document >Case_Study >Ebook >Manual >Report >Research_Paper >Slide_Deck >Template >White_Paper >Worksheet
Image >Diagram >Flowchart >Infographic >Mapographic >Meme >Photography >Vector_Illustration
Interactive_Tools >Calculator >Configurator >Generator >Map >Poll >Quiz >SaaS_Software >Simulator
Landing_Page >Course_Sales_Page >Location_Page >Pricing_Page >Product_Feature_Page >Product_Page >Service_Page
Listing >Business >Event >Job >Location >Product >Property >Service
Listing_Collection >Business >Event >Job >Location >Product >Property >Service
User_Generated_Content >Comments >Discussions >Forum_Thread >Q&A >Reviews >Social_Media_Post >Testimonials
Video >Comparisons >Compilation >How_to >Interview >Listicle >News_Update >Opinion_Piece >Product_or_Brand_Review
  >Recipe >Roundup >Story >Thought_Leadership >Tutorial_or_Guide >Vlog >Webinar
`;

const LANGUAGES =
  'af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw';

function labelsOf(outline: string): ReadonlySet<string> {
  const labels = new Set<string>();
  const path: string[] = [];
  for (const step of outline.trim().split(/\s+/)) {
    const depth = step.lastIndexOf('>') + 1;
    path.length = depth;
    path.push(step.slice(depth));
    labels.add(`/${path.join('/')}`);
  }
  return labels;
}

export const VALUES: Readonly<Record<'page_category' | 'page_type' | 'language', ReadonlySet<string>>> = {
  page_category: labelsOf(CATEGORIES),
  page_type: labelsOf(TYPES),
  language: new Set(LANGUAGES.split(' ')),
};
