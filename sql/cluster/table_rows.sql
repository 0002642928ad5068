CREATE VIEW table_rows AS
-- How many rows each table holds.
--
-- grain: table_name
-- uses:  run, rank, device, rank_metadata, source, source_table, issue, string, stack_frame, link_rule, event_extent,
--        thread, op, queue_task, python_call, api_call, gc_event, mark, step, step_time, stream, device_task, kernel,
--        memory_copy, kernel_metric, kernel_metric_other, rank_metric, busy_interval, comm_group, comm_group_rank,
--        comm_op, comm_task, memory_event, allocation, memory_record, module_memory, device_memory, counter,
--        counter_sample, graph, graph_stream, graph_node, graph_replay, op_work, op_total, module_total,
--        kernel_op_total, kernel_total, step_kernel_total, stream_total, busy_total, api_total, cache_rate, aicpu_task,
--        data_queue, comm_turn, reference_step, reference_comm_time, reference_comm_bandwidth, reference_comm_matrix,
--        reference_overlap
-- cols:
--   table_name  text   table
--   row_count   count  its rows
SELECT 'run' AS table_name, count(*) AS row_count FROM run
UNION ALL SELECT 'rank', count(*) FROM rank
UNION ALL SELECT 'device', count(*) FROM device
UNION ALL SELECT 'rank_metadata', count(*) FROM rank_metadata
UNION ALL SELECT 'source', count(*) FROM source
UNION ALL SELECT 'source_table', count(*) FROM source_table
UNION ALL SELECT 'issue', count(*) FROM issue
UNION ALL SELECT 'string', count(*) FROM string
UNION ALL SELECT 'stack_frame', count(*) FROM stack_frame
UNION ALL SELECT 'link_rule', count(*) FROM link_rule
UNION ALL SELECT 'event_extent', count(*) FROM event_extent
UNION ALL SELECT 'thread', count(*) FROM thread
UNION ALL SELECT 'op', count(*) FROM op
UNION ALL SELECT 'queue_task', count(*) FROM queue_task
UNION ALL SELECT 'python_call', count(*) FROM python_call
UNION ALL SELECT 'api_call', count(*) FROM api_call
UNION ALL SELECT 'gc_event', count(*) FROM gc_event
UNION ALL SELECT 'mark', count(*) FROM mark
UNION ALL SELECT 'step', count(*) FROM step
UNION ALL SELECT 'step_time', count(*) FROM step_time
UNION ALL SELECT 'stream', count(*) FROM stream
UNION ALL SELECT 'device_task', count(*) FROM device_task
UNION ALL SELECT 'kernel', count(*) FROM kernel
UNION ALL SELECT 'memory_copy', count(*) FROM memory_copy
UNION ALL SELECT 'kernel_metric', count(*) FROM kernel_metric
UNION ALL SELECT 'kernel_metric_other', count(*) FROM kernel_metric_other
UNION ALL SELECT 'rank_metric', count(*) FROM rank_metric
UNION ALL SELECT 'busy_interval', count(*) FROM busy_interval
UNION ALL SELECT 'comm_group', count(*) FROM comm_group
UNION ALL SELECT 'comm_group_rank', count(*) FROM comm_group_rank
UNION ALL SELECT 'comm_op', count(*) FROM comm_op
UNION ALL SELECT 'comm_task', count(*) FROM comm_task
UNION ALL SELECT 'memory_event', count(*) FROM memory_event
UNION ALL SELECT 'allocation', count(*) FROM allocation
UNION ALL SELECT 'memory_record', count(*) FROM memory_record
UNION ALL SELECT 'module_memory', count(*) FROM module_memory
UNION ALL SELECT 'device_memory', count(*) FROM device_memory
UNION ALL SELECT 'counter', count(*) FROM counter
UNION ALL SELECT 'counter_sample', count(*) FROM counter_sample
UNION ALL SELECT 'graph', count(*) FROM graph
UNION ALL SELECT 'graph_stream', count(*) FROM graph_stream
UNION ALL SELECT 'graph_node', count(*) FROM graph_node
UNION ALL SELECT 'graph_replay', count(*) FROM graph_replay
UNION ALL SELECT 'op_work', count(*) FROM op_work
UNION ALL SELECT 'op_total', count(*) FROM op_total
UNION ALL SELECT 'module_total', count(*) FROM module_total
UNION ALL SELECT 'kernel_op_total', count(*) FROM kernel_op_total
UNION ALL SELECT 'kernel_total', count(*) FROM kernel_total
UNION ALL SELECT 'step_kernel_total', count(*) FROM step_kernel_total
UNION ALL SELECT 'stream_total', count(*) FROM stream_total
UNION ALL SELECT 'busy_total', count(*) FROM busy_total
UNION ALL SELECT 'api_total', count(*) FROM api_total
UNION ALL SELECT 'cache_rate', count(*) FROM cache_rate
UNION ALL SELECT 'aicpu_task', count(*) FROM aicpu_task
UNION ALL SELECT 'data_queue', count(*) FROM data_queue
UNION ALL SELECT 'comm_turn', count(*) FROM comm_turn
UNION ALL SELECT 'reference_step', count(*) FROM reference_step
UNION ALL SELECT 'reference_comm_time', count(*) FROM reference_comm_time
UNION ALL SELECT 'reference_comm_bandwidth', count(*) FROM reference_comm_bandwidth
UNION ALL SELECT 'reference_comm_matrix', count(*) FROM reference_comm_matrix
UNION ALL SELECT 'reference_overlap', count(*) FROM reference_overlap;
