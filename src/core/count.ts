/**
 * A whole number from 1.
 * @asType integer
 * @minimum 1
 * @maximum 9007199254740991
 */
export type Count = number

/**
 * A whole number from 0: an amount, a length or a position.
 * @asType integer
 * @minimum 0
 * @maximum 9007199254740991
 */
export type Amount = number
