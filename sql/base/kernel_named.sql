CREATE VIEW kernel_named AS
-- What kernels are: names, cores, shapes.
--
-- grain: id
-- uses:  kernel, string
-- cols:
--   id               -      kernel.id
--   name_id          -      string.id of the name
--   name             text   kernel
--   op_type          text   operator type
--   core             text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   block_count      count  cores used
--   mix_block_count  count  cores of the other kind used
--   input_shapes     text   as recorded, with quotes
--   input_dtypes     text   input types
--   input_formats    text   input formats
--   output_shapes    text   output shapes
--   output_dtypes    text   output types
--   output_formats   text   output formats
--   attributes       text   operator attributes
--   state            text   static, dynamic
--   hf32             text   YES or NO: may compute in HF32
--   grid             text   SIMT grid
--   block            text   SIMT block
--   is_schedule      -      1 = scheduling task of a collective, not an operator
--   symbol           text   symbol of its binary; only raw profiles have it
SELECT
    t.id, t.name_id, (SELECT value FROM string WHERE id = t.name_id) AS name,
    (SELECT value FROM string WHERE id = t.op_type_id) AS op_type,
    (SELECT value FROM string WHERE id = t.core_id) AS core, t.block_count, t.mix_block_count,
    (SELECT value FROM string WHERE id = t.input_shapes_id) AS input_shapes,
    (SELECT value FROM string WHERE id = t.input_dtypes_id) AS input_dtypes,
    (SELECT value FROM string WHERE id = t.input_formats_id) AS input_formats,
    (SELECT value FROM string WHERE id = t.output_shapes_id) AS output_shapes,
    (SELECT value FROM string WHERE id = t.output_dtypes_id) AS output_dtypes,
    (SELECT value FROM string WHERE id = t.output_formats_id) AS output_formats,
    (SELECT value FROM string WHERE id = t.attributes_id) AS attributes,
    (SELECT value FROM string WHERE id = t.state_id) AS state,
    (SELECT value FROM string WHERE id = t.hf32_id) AS hf32,
    (SELECT value FROM string WHERE id = t.grid_id) AS grid,
    (SELECT value FROM string WHERE id = t.block_id) AS block, t.is_schedule,
    (SELECT value FROM string WHERE id = t.symbol_id) AS symbol
FROM kernel AS t;
