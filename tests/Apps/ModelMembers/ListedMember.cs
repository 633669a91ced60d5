namespace NumaSharp.ModelMembers;

/// <param name="Folder">The folder of the type's sources, from the repository's root.</param>
/// <param name="Name">The member, as <see cref="SourceMembers"/> names it.</param>
/// <param name="Hash">The hash when the model was last compared with it; empty if it never was.</param>
/// <param name="LeftOut">Why the model has no step for it; <see langword="null"/> when it has.</param>
internal sealed record ListedMember(string Folder, string Name, string Hash, string? LeftOut);
