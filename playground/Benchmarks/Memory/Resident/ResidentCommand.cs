using System.CommandLine;

namespace NumaSharp.Playground.Benchmarks.Memory.Resident;

/// <summary>The hidden command by which the harness measures one allocator's resident memory in a process of its own.</summary>
internal static class ResidentCommand
{
    private const string Name = "resident-memory";

    public static IReadOnlyList<string> Arguments(string side, int objects) => [Name, side, $"{objects}"];

    public static Command Create(TextWriter output)
    {
        var side = new Argument<string>("side");
        var objects = new Argument<int>("objects");
        side.AcceptOnlyFromAmong([.. ResidentSide.All.Select(static side => side.Label)]);
        var command = new Command(Name, "Resident memory of one allocator.") { side, objects };
        command.Hidden = true;
        command.SetAction(parsed =>
        {
            try
            {
                var measured = ResidentSide.All.Single(side1 => side1.Label == parsed.GetValue(side));
                output.WriteLine(measured.Measure(parsed.GetValue(objects)));
                return ExitCodes.Completed;
            }
            catch (BenchmarkException failure)
            {
                Console.Error.WriteLine(failure.Message);
                return ExitCodes.Failed;
            }
        });
        return command;
    }
}
