import { localName } from './thing.js';

/** Types of schema.org that tell an adapter what a thing is. Sub-types are listed, since pages rarely name the parent. */
const types = (...names: string[]): ReadonlySet<string> => new Set(names.flatMap((line) => line.split(' ')));

export const JOB_TYPES = types('JobPosting');

export const PERSON_TYPES = types('Person');

export const SITE_TYPES = types(
  'WebSite WebPage AboutPage CheckoutPage CollectionPage ContactPage ItemPage MedicalWebPage ProfilePage',
);

/** Organization and everything below it, mostly kinds of LocalBusiness; `BusinessEntity` is what GoodRelations says. */
export const ORGANIZATION_TYPES = types(
  'Organization Corporation NGO NewsMediaOrganization EducationalOrganization GovernmentOrganization OnlineBusiness',
  'OnlineStore Airline Consortium Cooperative LibrarySystem MedicalOrganization PerformingGroup Project ResearchOrganization',
  'SportsOrganization WorkersUnion FundingScheme FundingAgency ResearchProject PoliticalParty SearchRescueOrganization',
  'DanceGroup MusicGroup TheaterGroup SportsTeam CollegeOrUniversity School ElementarySchool MiddleSchool HighSchool Preschool',
  'BusinessEntity LocalBusiness AnimalShelter ArchiveOrganization AutomotiveBusiness AutoBodyShop AutoDealer AutoPartsStore',
  'AutoRental AutoRepair AutoWash GasStation MotorcycleDealer MotorcycleRepair ChildCare Dentist DryCleaningOrLaundry',
  'EmergencyService FireStation PoliceStation EmploymentAgency EntertainmentBusiness AdultEntertainment AmusementPark',
  'ArtGallery Casino ComedyClub MovieTheater NightClub FinancialService AccountingService AutomatedTeller BankOrCreditUnion',
  'InsuranceAgency FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop',
  'Restaurant Winery GovernmentOffice PostOffice HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon',
  'TattooParlor HomeAndConstructionBusiness Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany',
  'Plumber RoofingContractor InternetCafe LegalService Attorney Notary Library LodgingBusiness BedAndBreakfast Campground',
  'Hostel Hotel Motel Resort SkiResort VacationRental MedicalBusiness MedicalClinic CovidTestingFacility DiagnosticLab',
  'Hospital Optician Optometric Pharmacy Physician IndividualPhysician PhysiciansOffice CommunityHealth Dermatology',
  'DietNutrition Geriatric Gynecologic Midwifery Nursing Obstetric Oncologic Otolaryngologic Pediatric Physiotherapy',
  'PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth ProfessionalService RadioStation RealEstateAgent',
  'RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation BowlingAlley ExerciseGym GolfCourse PublicSwimmingPool',
  'SportsClub StadiumOrArena TennisComplex Store BikeStore BookStore ClothingStore ComputerStore ConvenienceStore',
  'DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore',
  'JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore',
  'PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore TelevisionStation TouristInformationCenter',
  'TravelAgency VeterinaryCare',
);

/** A page that calls itself one of these is about something else than a job, a company or a person. */
export const OTHER_SUBJECT_TYPES = types(
  'Article NewsArticle AnalysisNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle BlogPosting',
  'LiveBlogPosting SocialMediaPosting DiscussionForumPosting ScholarlyArticle TechArticle Product ProductGroup',
  'IndividualProduct ProductModel Vehicle Car Recipe Event BusinessEvent EducationEvent Festival MusicEvent SportsEvent',
  'TheaterEvent VideoObject Movie TVSeries TVEpisode PodcastEpisode MusicAlbum MusicRecording Book Course',
  'SoftwareApplication MobileApplication WebApplication VideoGame QAPage FAQPage SearchResultsPage',
);

const KNOWN: ReadonlyMap<string, string> = new Map(
  [JOB_TYPES, PERSON_TYPES, SITE_TYPES, ORGANIZATION_TYPES, OTHER_SUBJECT_TYPES]
    .flatMap((names) => [...names])
    .map((name) => [name.toLowerCase(), name]),
);

/** A type without its vocabulary. `organization` and `Localbusiness` are slips of the pen, not other types. */
export function typeName(written: string): string {
  const name = localName(written.trim());
  return KNOWN.get(name.toLowerCase()) ?? name;
}
