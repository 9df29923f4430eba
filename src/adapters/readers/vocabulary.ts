/** Types of schema.org that tell an adapter what a thing is. Sub-types are listed, since pages rarely name the parent. */
const types = (...names: string[]): ReadonlySet<string> => new Set(names.flatMap((line) => line.split(' ')));

export const JOB_TYPES = types('JobPosting');

export const PERSON_TYPES = types('Person');

export const SITE_TYPES = types('WebSite WebPage AboutPage ContactPage CollectionPage ItemPage ProfilePage');

/** Organization and everything below it that has customers: mostly kinds of LocalBusiness. */
export const ORGANIZATION_TYPES = types(
  'Organization Corporation NGO NewsMediaOrganization EducationalOrganization GovernmentOrganization OnlineBusiness',
  'OnlineStore Airline Consortium Cooperative LibrarySystem MedicalOrganization PerformingGroup Project ResearchOrganization',
  'SportsOrganization WorkersUnion FundingScheme PoliticalParty CollegeOrUniversity School LocalBusiness AnimalShelter',
  'ArchiveOrganization AutomotiveBusiness AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation',
  'MotorcycleDealer MotorcycleRepair ChildCare Dentist DryCleaningOrLaundry EmergencyService EmploymentAgency',
  'EntertainmentBusiness AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub FinancialService AccountingService',
  'BankOrCreditUnion InsuranceAgency FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant',
  'IceCreamShop Restaurant Winery GovernmentOffice HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon',
  'HomeAndConstructionBusiness Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber',
  'RoofingContractor InternetCafe LegalService Attorney Notary Library LodgingBusiness BedAndBreakfast Campground Hostel Hotel',
  'Motel Resort VacationRental MedicalBusiness MedicalClinic Optician Pharmacy Physician Hospital ProfessionalService',
  'RadioStation RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation ExerciseGym GolfCourse',
  'Store BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore ElectronicsStore Florist',
  'FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore LiquorStore MensClothingStore',
  'MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore',
  'TireShop ToyStore WholesaleStore TelevisionStation TouristInformationCenter TravelAgency VeterinaryCare',
);

/** A page that calls itself one of these is about something else than a job, a company or a person. */
export const OTHER_SUBJECT_TYPES = types(
  'Article NewsArticle BlogPosting ReportageNewsArticle TechArticle Product ProductGroup Recipe Event VideoObject Movie Book',
  'Course SoftwareApplication MobileApplication QAPage FAQPage DiscussionForumPosting SearchResultsPage',
);
