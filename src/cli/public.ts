/** cli: TODO. */

