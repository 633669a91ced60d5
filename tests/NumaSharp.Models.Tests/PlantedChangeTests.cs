namespace NumaSharp.Models.Tests;

/// <summary>What ties models to the code finds every change of what they stand for, and nothing else.</summary>
public sealed class PlantedChangeTests
{
    [Fact]
    public void Finding_OfAChangedBody_NamesMemberPlaceModelAndCommand()
    {
        using var repository = Recorded("Loop.Run");
        repository.Replace("times-- > 0", "times-- > 1");
        var finding = Assert.Single(repository.Findings);
        Assert.Contains("Loop.Run (src/Loop.cs:10)", finding, StringComparison.Ordinal);
        Assert.Contains("tests/Models/Loop.pml", finding, StringComparison.Ordinal);
        Assert.EndsWith("eng/models looked-at Loop.pml", finding, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Loop.Run", "Wait();", "")]
    [InlineData("Loop.Run", "Run(Rounds)", "Run(Rounds + 1)")]
    [InlineData("Loop.Run", "public void Run()", "public void Run(bool all) => Wait(); public void Run()")]
    [InlineData("Loop.Run(int)", "Wait();", "")]
    [InlineData("Loop.Run", "int times", "long times")]
    [InlineData("Loop._word", "private long _word", "private volatile int _word")]
    [InlineData("Loop.Rounds", "=> 3", "=> 4")]
    [InlineData("Loop.Ends", "long Top", "long Top, Bottom")]
    [InlineData("Loop.Ends.Top", "public long Top", "public int Top")]
    [InlineData("Loop", "=> 3", "=> 4")]
    public void Member_ThatHasChanged_IsFound(string member, string old, string by)
    {
        using var repository = Recorded(member);
        repository.Replace(old, by);
        Assert.Contains("has changed since", Assert.Single(repository.Findings), StringComparison.Ordinal);
        Assert.Equal([member], repository.LookedAt());
        Assert.Empty(repository.Findings);
    }

    [Theory]
    [InlineData("Loop.Run", "Wait();", "/* Until something\n happens. */ Wait() ;")]
    [InlineData("Loop.Run()", "Wait();", "")]
    [InlineData("Loop.Run(int)", "Run(Rounds)", "Run(Rounds + 1)")]
    [InlineData("Loop.Rounds", "Wait();", "")]
    [InlineData("Loop._word", "// A comment.", "/// <summary>Another.</summary>")]
    public void Member_ThatSaysTheSame_IsNotFound(string member, string old, string by)
    {
        using var repository = Recorded(member);
        repository.Replace(old, by);
        Assert.Empty(repository.Findings);
    }

    [Fact]
    public void Member_InAnotherPartOfItsType_IsTheSame()
    {
        using var repository = Recorded("Loop.Run");
        repository.Replace("public void Run() => Run(Rounds);", "");
        Assert.NotEmpty(repository.Findings);
        repository.Write("src/Loop.Another.cs", "partial class Loop { public void Run() => Run(Rounds); }");
        Assert.Empty(repository.Findings);
    }

    [Fact]
    public void Overload_InAnotherPartOfTheType_IsFound()
    {
        using var repository = Recorded("Loop.Run");
        repository.Write("src/Loop.Another.cs", "partial class Loop { public void Run(bool all) => Run(); }");
        Assert.Contains("has changed since", Assert.Single(repository.Findings), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Loop.Run", "Run", "Go")]
    [InlineData("Loop.Run(int)", "int times", "long times")]
    [InlineData("Loop.Ends.Top", "Top", "First")]
    [InlineData("Loop.Run", "class Loop", "class Circle")]
    public void Member_ThatHasGone_IsFoundAndNotRecorded(string member, string old, string by)
    {
        using var repository = Recorded(member);
        repository.Replace(old, by);
        Assert.Contains($"{member}, which is not in src any more", Assert.Single(repository.Findings), StringComparison.Ordinal);
        var list = repository.Read("tests/Models/Loop.members");
        Assert.Throws<ArgumentException>(() => repository.LookedAt());
        Assert.Equal(list, repository.Read("tests/Models/Loop.members"));
    }

    [Theory]
    [InlineData("Loop._word", "Loop.Clear", "public void Clear() { _word = 0; }")]
    [InlineData("Loop._word", "Loop.IsSet", "public bool IsSet => Volatile.Read(ref _word) != 0;")]
    [InlineData("Loop._word", "Loop.Loop", "public Loop() => _word = 1;")]
    [InlineData("Loop._word", "Loop.Run(bool)", "public void Run(bool all) => _word++;")]
    [InlineData("Loop._word", "Loop.Look.Word", "private struct Look(Loop loop) { public long Word => loop._word; }")]
    [InlineData("Loop.Ends.Top", "Loop.Length", "private long Length => new Ends().Top;")]
    public void Member_ThatIsNewAndUsesAListedField_IsFoundUntilItIsCompared(string field, string name, string member)
    {
        using var repository = Recorded(field);
        repository.Write("src/Loop.Another.cs", $"partial class Loop {{ {member} }}");
        var finding = Assert.Single(repository.Findings);
        Assert.StartsWith($"{name} (src/Loop.Another.cs:1) uses {field}", finding, StringComparison.Ordinal);
        Assert.Contains("tests/Models/Loop.members", finding, StringComparison.Ordinal);
        Assert.EndsWith("eng/models looked-at Loop.pml", finding, StringComparison.Ordinal);
        Assert.Empty(repository.LookedAt());
        Assert.Equal([finding], repository.Findings);

        repository.Write("tests/Models/Loop.members", repository.Read("tests/Models/Loop.members") + $"src {name}\n");
        Assert.Contains("it was never compared with", Assert.Single(repository.Findings), StringComparison.Ordinal);
        Assert.Equal([name], repository.LookedAt());
        Assert.Empty(repository.Findings);
    }

    [Theory]
    [InlineData("Loop._word", "class Other { private long _word; public void Clear() => _word = 0; }")]
    [InlineData("Loop._word", "partial class Loop { /* _word */ public string Name => nameof(Loop) + \"_word\"; }")]
    [InlineData("Loop.Rounds", "partial class Loop { public int Twice => 2 * Rounds; }")]
    [InlineData("Loop", "partial class Loop { private void Clear() => _word = 0; }")]
    public void Member_ThatUsesNoListedField_IsNotFound(string member, string source)
    {
        using var repository = new PlantedRepository(member);
        repository.Write("src/Loop.Another.cs", source);
        repository.LookedAt();
        Assert.Empty(repository.Findings);
    }

    [Fact]
    public void Member_ThatIsLeftOut_HasAReasonAndIsComparedAgainWhenItChanges()
    {
        using var repository = new PlantedRepository("Loop._word", "Loop.Clear left out:");
        repository.Write("src/Loop.Another.cs", "partial class Loop { private void Clear() => _word = 0; }");
        Assert.Contains(repository.Findings, static it => it.EndsWith("and does not say why.", StringComparison.Ordinal));
        repository.Write("tests/Models/Loop.members", "src Loop._word\nsrc Loop.Clear left out: before the first round\n");
        repository.LookedAt();
        Assert.Empty(repository.Findings);
        Assert.Matches(
            "Loop.Clear  [0-9a-f]{16}  left out: before the first round\n$", repository.Read("tests/Models/Loop.members"));

        repository.Write("src/Loop.Another.cs", "partial class Loop { private void Clear() => _word = 2; }");
        Assert.Contains("has changed since", Assert.Single(repository.Findings), StringComparison.Ordinal);
        Assert.Equal(["Loop.Clear"], repository.LookedAt());
        Assert.Empty(repository.Findings);
    }

    [Fact]
    public void Model_WithoutList_IsFound()
    {
        using var repository = new PlantedRepository();
        Assert.Contains("Loop.members is missing", Assert.Single(repository.Findings), StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => repository.LookedAt());
        repository.Write("tests/Models/Loop.members", "# Nothing.\n");
        Assert.Contains("names no member", Assert.Single(repository.Findings), StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => repository.LookedAt());
    }

    [Fact]
    public void List_WithoutModel_IsFound()
    {
        using var repository = Recorded("Loop.Run");
        repository.Delete("tests/Models/Loop.pml");
        Assert.Contains("a model that is not there", Assert.Single(repository.Findings), StringComparison.Ordinal);
    }

    [Fact]
    public void Member_WithoutHash_IsFound()
    {
        using var repository = new PlantedRepository("Loop.Run");
        Assert.Contains("it was never compared with", Assert.Single(repository.Findings), StringComparison.Ordinal);
    }

    [Fact]
    public void Command_KeepsCommentsAndOrder()
    {
        using var repository = new PlantedRepository("Loop.Run(int)", "Loop.Rounds");
        repository.Write("tests/Models/Loop.members", "# Why.\n" + repository.Read("tests/Models/Loop.members"));
        Assert.Equal(0, repository.RunCommand(TextWriter.Null, "looked-at", PlantedRepository.Model));
        Assert.Matches(
            "^# Why.\nsrc  Loop.Run\\(int\\)  [0-9a-f]{16}\nsrc  Loop.Rounds    [0-9a-f]{16}\n$",
            repository.Read("tests/Models/Loop.members"));
    }

    [Theory]
    [InlineData]
    [InlineData("looked-at")]
    [InlineData("looked-at", "Loop.pml", "Loop.pml")]
    [InlineData("looked-at", "*.pml")]
    [InlineData("looked-at", "tests/Models/Loop.pml")]
    [InlineData("looked-at", "Loop")]
    [InlineData("all")]
    public void Command_ThatDoesNotNameOneModel_RecordsNothing(params string[] arguments)
    {
        using var repository = new PlantedRepository("Loop.Run");
        var list = repository.Read("tests/Models/Loop.members");
        using var error = new StringWriter();
        Assert.NotEqual(0, repository.RunCommand(error, arguments));
        Assert.NotEmpty(error.ToString());
        Assert.Equal(list, repository.Read("tests/Models/Loop.members"));
    }

    private static PlantedRepository Recorded(string member)
    {
        var repository = new PlantedRepository(member);
        repository.LookedAt();
        Assert.Empty(repository.Findings);
        return repository;
    }
}
