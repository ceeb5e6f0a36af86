/**
 * A whole number from 1.
 * @asType integer
 * @minimum 1
 * @maximum 9007199254740991
 */
export type Count = number
