/// Letters whose plain form is not found by making them small: what they become, and then all of
/// them. From the Unicode Character Database (compatibility decompositions without their marks), and
/// letters with strokes and hooks as people without such keys type them.
enum FoldingTable {
  /// The end of what `index` covers.
  static let end = 0x2C80

  /// What letters become; 0 is none of them.
  static let plain: [[UInt8]] = [[]] + lines.map { Array($0.plain.utf8) }

  /// For each code point the place in `plain`.
  static let index: [UInt8] = {
    var index = [UInt8](repeating: 0, count: end)
    for (number, line) in lines.enumerated() {
      for scalar in line.letters.unicodeScalars where scalar.value < end {
        index[Int(scalar.value)] = UInt8(number + 1)
      }
    }
    return index
  }()

  /// Beyond `end`.
  static let ligatures: [UInt32: [UInt8]] = {
    var found: [UInt32: [UInt8]] = [:]
    for line in lines {
      for scalar in line.letters.unicodeScalars where scalar.value >= end {
        found[scalar.value] = Array(line.plain.utf8)
      }
    }
    return found
  }()

  private static let lines: [(plain: Substring, letters: Substring)] =
    text.split(separator: "\n").map { line in
      let blank = line.firstIndex(of: " ")!
      return (line[..<blank], line[line.index(after: blank)...])
    }

  private static let text = """
    0 ⁰₀
    1 ¹₁
    2 ²₂
    3 ³₃
    4 ⁴₄
    5 ⁵₅
    6 ⁶₆
    7 ⁷₇
    8 ⁸₈
    9 ⁹₉
    a ªÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǠǡǺǻȀȁȂȃȦȧȺḀḁẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặₐÅⱥ
    ae ÆæǢǣǼǽ
    aʾ ẚ
    b ƀƁɃɓḂḃḄḅḆḇℬ
    c ÇçĆćĈĉĊċČčƇƈȻȼḈḉℂℭⅭⅽ
    d ÐðĎďĐđƉƊɖɗḊḋḌḍḎḏḐḑḒḓⅅⅆⅮⅾ
    dz ǄǅǆǱǲǳ
    e ÈÉÊËèéêëĒēĔĕĖėĘęĚěƎƏƐǝȄȅȆȇȨȩɆɇəɛḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệₑₔℇℯℰⅇ
    f ƑƒḞḟℱ
    ff ﬀ
    ffi ﬃ
    ffl ﬄ
    fi ﬁ
    fl ﬂ
    g ĜĝĞğĠġĢģƓǤǥǦǧǴǵȜȝɠḠḡℊ
    h ĤĥĦħȞȟḢḣḤḥḦḧḨḩḪḫẖₕℋℌℍℎℏ
    i ÌÍÎÏìíîïĨĩĪīĬĭĮįİıƗǏǐȈȉȊȋɨḬḭḮḯỈỉỊịⁱℐℑℹⅈⅠⅰ
    ii Ⅱⅱ
    iii Ⅲⅲ
    ij Ĳĳ
    iv Ⅳⅳ
    ix Ⅸⅸ
    j ĴĵǰɈɉⅉ
    k ĶķĸƘƙǨǩḰḱḲḳḴḵₖ
    l ĹĺĻļĽľŁłƚȽɫḶḷḸḹḺḻḼḽₗℒℓⅬⅼⱢ
    lj Ǉǈǉ
    l· Ŀŀ
    m ḾḿṀṁṂṃₘℳⅯⅿ
    n ÑñŃńŅņŇňŉŊŋƝƞǸǹȠɲṄṅṆṇṈṉṊṋⁿₙℕ
    nj Ǌǋǌ
    o ºÒÓÔÕÖØòóôõöøŌōŎŏŐőƆƟƠơǑǒǪǫǬǭǾǿȌȍȎȏȪȫȬȭȮȯȰȱɔɵṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợₒℴ
    oe Œœ
    p ƤƥṔṕṖṗₚℙ
    q ℚ
    r ŔŕŖŗŘřƦȐȑȒȓɌɍɽʀṘṙṚṛṜṝṞṟℛℜℝⱤ
    s ŚśŜŝŞşŠšſȘșṠṡṢṣṤṥṦṧṨṩẛₛ
    ss ßẞ
    st ﬅﬆ
    t ŢţŤťŦŧƬƭƮȚțȾʈṪṫṬṭṮṯṰṱẗₜⱦ
    th Þþ
    u ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔǕǖǗǘǙǚǛǜȔȕȖȗɄʉṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰự
    v ƲʋṼṽṾṿⅤⅴ
    vi Ⅵⅵ
    vii Ⅶⅶ
    viii Ⅷⅷ
    w ŴŵƿǷẀẁẂẃẄẅẆẇẈẉẘ
    x ẊẋẌẍₓⅩⅹ
    xi Ⅺⅺ
    xii Ⅻⅻ
    y ÝýÿŶŷŸƳƴȲȳɎɏẎẏẙỲỳỴỵỶỷỸỹ
    z ŹźŻżŽžƵƶȤȥẐẑẒẓẔẕℤℨ
    ʒ Ǯǯ
    α ΆάἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏὰάᾰᾱᾶᾸᾹᾺΆ
    αι ᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾲᾳᾴᾷᾼ
    β ϐ
    γ ℽℾ
    ε ΈέϵἐἑἒἓἔἕἘἙἚἛἜἝὲέῈΈ
    η ΉήἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯὴήῆῊΉ
    ηι ᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟῂῃῄῇῌ
    θ ϑ
    ι ΊΐΪίϊἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿὶίιῐῑῒΐῖῗῘῙῚΊ
    κ ϰ
    μ µ
    ο ΌόὀὁὂὃὄὅὈὉὊὋὌὍὸόῸΌ
    π ϖℼℿ
    ρ ϱῤῥῬ
    σ ςϲϹ
    υ ΎΫΰϋύϒϓϔὐὑὒὓὔὕὖὗὙὛὝὟὺύῠῡῢΰῦῧῨῩῪΎ
    φ ϕ
    ω ΏώὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὼώῶῺΏ
    ωι ᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯῲῳῴῷῼ
    а ӐӑӒӓ
    г Ѓѓ
    е ЀЁѐёӖӗ
    ж ӁӂӜӝ
    з Ӟӟ
    и ЍЙйѝӢӣӤӥ
    к Ќќ
    о Ӧӧ
    у ЎўӮӯӰӱӲӳ
    ч Ӵӵ
    ы Ӹӹ
    э Ӭӭ
    і Її
    ѵ Ѷѷ
    ә Ӛӛ
    ө Ӫӫ
    א ℵ
    ב ℶ
    ג ℷ
    ד ℸ
    ا آأإٱ
    ي ى
    ك ک
    """
}
