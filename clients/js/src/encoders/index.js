/** The games that this package can encode, by name. */
import * as fire_bulls from "./fire_bulls.js";
import * as pompeji from "./pompeji.js";
import * as pompiers from "./pompiers.js";
import * as pumafiosi from "./pumafiosi.js";

export const ENCODERS = { fire_bulls, pompeji, pompiers, pumafiosi };
