using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>
/// A server as its scheduler sees it: loop threads that sleep until something is ready, work a little for each event and pass
/// it on, and connections that are ready again when the application's part has run. An operation is a request.
/// </summary>
/// <param name="Connections">Each has one request at a time.</param>
/// <param name="Loops">Loop threads.</param>
/// <param name="LoopSteps">The loop's work per event.</param>
/// <param name="WorkSteps">The application's work per request.</param>
internal sealed record ClosedLoopShape(int Connections, int Loops, int LoopSteps, int WorkSteps) : ILoadShape
{
    public ILoad Create<TQueue>(TQueue queue)
        where TQueue : struct, IWorkQueue => new ClosedLoopLoad<TQueue>(queue, this);

    private sealed class ClosedLoopLoad<TQueue> : ILoad
        where TQueue : struct, IWorkQueue
    {
        private readonly Gate _gate = new();
        private readonly ReadyLoop<Connection>[] _loops;
        private readonly Connection[] _connections;
        private readonly TQueue _queue;
        private readonly int _loopSteps;

        public ClosedLoopLoad(TQueue queue, ClosedLoopShape shape)
        {
            (_queue, _loopSteps) = (queue, shape.LoopSteps);
            _loops = [.. Enumerable.Range(0, shape.Loops).Select(_ => new ReadyLoop<Connection>(Handle))];
            _connections =
            [
                .. Enumerable.Range(0, shape.Connections)
                    .Select(index => new Connection(_loops[index % _loops.Length], shape.WorkSteps)),
            ];
        }

        public Slice Run(int operations)
        {
            var requests = Math.Max(1, operations / _connections.Length);
            _gate.Close(_connections.Length);
            var clock = SliceClock.Start();
            foreach (var connection in _connections)
            {
                connection.Left = requests;
                connection.Loop.Post(connection);
            }

            _gate.Wait();
            return clock.Stop(requests * _connections.Length);
        }

        public void Dispose()
        {
            foreach (var loop in _loops)
            {
                loop.Dispose();
            }
        }

        private void Handle(Connection connection)
        {
            if (--connection.Left >= 0)
            {
                Busy.Work(_loopSteps);
                _queue.Queue(connection);
            }
            else if (_gate.Arrive())
            {
                _gate.Open();
            }
        }
    }

    private sealed class Connection(ReadyLoop<Connection> loop, int workSteps) : IThreadPoolWorkItem
    {
        public ReadyLoop<Connection> Loop => loop;

        public int Left { get; set; }

        public void Execute()
        {
            Busy.Work(workSteps);
            loop.Post(this);
        }
    }
}
