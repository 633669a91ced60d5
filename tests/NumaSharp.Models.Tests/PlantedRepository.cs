using NumaSharp.ModelMembers;

namespace NumaSharp.Models.Tests;

/// <summary>A repository of one model, whose list names members of one class.</summary>
internal sealed class PlantedRepository : IDisposable
{
    public const string Model = "Loop.pml";

    private const string Source = """
        namespace Planted;

        public partial class Loop
        {
            // A comment.
            private long _word;

            public int Rounds => 3;

            public void Run(int times)
            {
                while (times-- > 0)
                {
                    Wait();
                }
            }

            public void Run() => Run(Rounds);

            private struct Ends
            {
                public long Top;
            }
        }
        """;

    private readonly TemporaryFolder _root = new();

    public PlantedRepository(params string[] members)
    {
        Write("src/Loop.cs", Source);
        Write("tests/Models/Loop.pml", "active proctype Loop() { skip }");
        if (members.Length != 0)
        {
            Write("tests/Models/Loop.members", string.Concat(members.Select(static member => $"src {member}\n")));
        }
    }

    public IReadOnlyList<string> Findings => [.. new ModelFolder(_root.Path).Findings()];

    public IReadOnlyList<string> LookedAt(string model = Model) => new ModelFolder(_root.Path).LookedAt(model);

    public int RunCommand(TextWriter error, params string[] arguments) =>
        Program.Run(arguments, _root.Path, TextWriter.Null, error);

    public string Read(string path) => File.ReadAllText(_root.PathOf(path));

    public void Write(string path, string text)
    {
        var file = _root.PathOf(path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }

    public void Delete(string path) => File.Delete(_root.PathOf(path));

    /// <summary>Changes the class.</summary>
    public void Replace(string old, string by)
    {
        Assert.Contains(old, Read("src/Loop.cs"), StringComparison.Ordinal);
        Write("src/Loop.cs", Read("src/Loop.cs").Replace(old, by, StringComparison.Ordinal));
    }

    public void Dispose() => _root.Dispose();
}
