namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>
/// The folders of a project, as the assemblies and their symbols show them: constants and attributes leave no trace there.
/// </summary>
public sealed class FolderTests
{
    public static TheoryData<string> Projects =>
    [
        .. from row in DependencyTests.Projects
           where DependencyTests.Assemblies.Any(name => name.Data == Path.GetFileNameWithoutExtension(row.Data))
           select Path.GetDirectoryName(row.Data)!,
    ];

    [Theory]
    [MemberData(nameof(Projects))]
    public void Folders_SideBySide_DoNotNeedEachOther(string project)
    {
        using var assembly = AssemblyMetadata.Open(Path.GetFileName(project));
        var references = assembly.References(project);
        Assert.NotEmpty(references);
        Assert.Empty(FolderCycles.Find(references));
    }

    // Else a part of a type could hide what its folder needs.
    [Theory]
    [MemberData(nameof(Projects))]
    public void Types_AreInOneFolder(string project)
    {
        using var assembly = AssemblyMetadata.Open(Path.GetFileName(project));
        Assert.Empty(
            from type in assembly.Folders(project)
            where type.Count() > 1
            select $"{type.Key} is in {string.Join(" and ", type)}");
    }

    [Fact]
    public void Find_FoldersThatNeedEachOther_NamesTheReferences() => Assert.Equal(
        ["Loops -> Memory: A -> B", "Memory -> Plan: B -> C", "Memory -> Plan: D -> C", "Plan -> Loops: C -> A"],
        FolderCycles.Find(
        [
            new("A", "Loops", "B", "Memory/Pools"), new("B", "Memory/Pools", "C", "Plan"), new("D", "Memory", "C", "Plan"),
            new("C", "Plan", "A", "Loops"), new("C", "Plan", "E", "Machine"), new("A", "Loops", "E", "Machine"),
        ]));

    [Fact]
    public void Find_InnerFoldersThatNeedEachOther_NamesTheReferences() => Assert.Equal(
        ["Memory/Checks -> Memory/Pools: B -> A", "Memory/Pools -> Memory/Checks: A -> B"],
        FolderCycles.Find([new("A", "Memory/Pools", "B", "Memory/Checks"), new("B", "Memory/Checks", "A", "Memory/Pools")]));

    [Fact]
    public void Find_AFolderAndOneInIt_MayNeedEachOther() => Assert.Empty(FolderCycles.Find(
    [
        new("A", "Memory", "B", "Memory/Pools"), new("B", "Memory/Pools", "A", "Memory"), new("C", "", "A", "Memory"),
        new("A", "Memory", "C", ""),
    ]));
}
